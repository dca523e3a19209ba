"""Nested columns: "article.body" is the field "body" of the objects in column "article".

If the column has lists, the field is taken from each object and joined by newlines; "article[].body" means the same. A
column with the literal name takes precedence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SEPARATOR = "."
LIST = "[]"
_ABSENT = object()


def value_at(row: Mapping[str, Any], path: str, default: Any = None) -> Any:
    """Return the value of a row at a path, or the default if the path does not exist."""
    if path in row:
        return row[path]
    names = path.split(SEPARATOR)
    values, is_list = _values_at(row, [name.removesuffix(LIST) for name in names])
    if path.endswith(LIST) and len(values) == 1 and isinstance(values[0], list):
        values, is_list = values[0], True
    if not is_list:
        return values[0] if values else default
    if not values:
        return default
    texts = [value for value in values if value is not None]
    return "\n".join(texts) if all(isinstance(value, str) for value in texts) else values


def _values_at(value: Any, names: Sequence[str]) -> tuple[list[Any], bool]:
    """Return the values at the end of a path, and whether it leads through a list."""
    if not names:
        return [value], False
    if isinstance(value, list):
        return [values for item in value for values in _values_at(item, names)[0]], True
    if not isinstance(value, Mapping) or names[0] not in value:
        return [], False
    return _values_at(value[names[0]], names[1:])


def has_value_at(row: Mapping[str, Any], path: str) -> bool:
    """True if a row has a name, even with a null value."""
    return value_at(row, path, _ABSENT) is not _ABSENT


def names_of(row: Mapping[str, Any]) -> list[str]:
    """Return all names of a row; a column with nested fields, also in a list, is replaced by their names."""
    names: dict[str, None] = {}
    for name, value in row.items():
        items = value if isinstance(value, list) else [value]
        inner = dict.fromkeys(inner_name for item in items if _is_row(item) for inner_name in names_of(item))
        start = f"{name}{LIST}" if isinstance(value, list) else name
        names.update(dict.fromkeys([f"{start}{SEPARATOR}{inner_name}" for inner_name in inner] or [name]))
    return list(names)


def without(row: Mapping[str, Any], paths: Collection[str]) -> dict[str, Any]:
    """Return a row without some paths; a column that becomes empty is removed too."""
    rest = {name: value for name, value in row.items() if name not in paths}
    for name, value in list(rest.items()):
        start = name + SEPARATOR
        inner = {path.removeprefix(start) for path in paths if path.startswith(start) and path not in row}
        if inner and _is_row(value):
            rest[name] = without(value, inner)
            if value and not rest[name]:
                del rest[name]
    return rest


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


class NestedField(NamedTuple):
    """A column of an Arrow schema, or a field of structs in one.

    Attributes:
        path: the name of the column, and of the fields down to it.
        type: the type of its values.
    """

    path: tuple[str, ...]
    type: Any
    called: str = ""

    @property
    def name(self) -> str:
        """The name used to select it."""
        return self.called or SEPARATOR.join(self.path)

    def of(self, batch: Any) -> Any:
        """Return its values in a table or batch, null where a struct is null."""
        column = batch.column(self.path[0].removesuffix(LIST))
        return _field_of(column, self.path[1:])


def fields_of(schema: Any) -> list[NestedField]:
    """Return the columns of a schema, then the fields of structs in them, unless a column has that name.

    Fields of structs in lists are lists, under the names ``a[].b`` and ``a.b``.
    """
    columns = [NestedField((column.name,), column.type) for column in schema]
    names = {column.name for column in columns}
    inner = {field.name: field for column in columns for field in _within(column) if field.name not in names}
    plain = {name: field for field in inner.values() if (name := field.name.replace(LIST, "")) not in {*names, *inner}}
    return [*columns, *inner.values(), *(field._replace(called=name) for name, field in plain.items())]


def _within(field: NestedField) -> Iterator[NestedField]:
    import pyarrow as pa

    if _is_list(field.type) and pa.types.is_struct(field.type.value_type):
        start = (*field.path[:-1], f"{field.path[-1]}{LIST}")
        for child in field.type.value_type:
            if not _is_list(child.type):
                yield NestedField((*start, child.name), pa.large_list(child.type))
    elif pa.types.is_struct(field.type):
        for child in field.type:
            inner = NestedField((*field.path, child.name), child.type)
            yield inner
            yield from _within(inner)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _field_of(column: Any, path: tuple[str, ...]) -> Any:
    """Return the values at the end of a path in a column of structs, or of lists of structs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not path:
        return column
    if _is_list(column.type):
        rows = column.to_pylist()
        kind = column.type.value_type.field(path[0]).type
        values = [None if row is None else [None if item is None else item[path[0]] for item in row] for row in rows]
        return pa.array(values, pa.large_list(kind))
    return _field_of(pc.struct_field(column, [path[0].removesuffix(LIST)]), path[1:])


__all__ = ["LIST", "SEPARATOR", "NestedField", "fields_of", "has_value_at", "names_of", "value_at", "without"]
