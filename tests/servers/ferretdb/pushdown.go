// Lets FerretDB use the indexes that it makes.
//
// By itself it asks PostgreSQL for nothing but equal fields, in a way that no index of its own answers, and reads whole
// collections for `$in` and for ranges, as no MongoDB with an index does. What it reads it filters again, so that all
// that is done here is to read less. scripts/ferretdb.sh puts this beside the file that asks.

package postgresql

import (
	"fmt"
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/postgresql/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

var comparisons = map[string]string{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

// filterIndexed returns the condition, with its argument, by which an index finds the fields that are one of a list or
// in a range; an empty one where it cannot be told as text or a whole number. A field must not be a list itself.
func filterIndexed(p *metadata.Placeholder, field, operator string, value any) (string, []any) {
	if strings.ContainsAny(field, ".") {
		return "", nil
	}
	column := fmt.Sprintf("%s->'%s'", metadata.DefaultColumn, strings.ReplaceAll(field, "'", "''"))

	if comparison, ok := comparisons[operator]; ok && isPlain(value) {
		filter := fmt.Sprintf("(%s) %s %s::jsonb", column, comparison, p.Next())
		return filter, []any{string(must.NotFail(sjson.MarshalSingleValue(value)))}
	}

	list, ok := value.(*types.Array)
	if operator != "$in" || !ok {
		return "", nil
	}
	values := make([]string, list.Len())
	for i := range values {
		one := must.NotFail(list.Get(i))
		if !isPlain(one) {
			return "", nil
		}
		values[i] = string(must.NotFail(sjson.MarshalSingleValue(one)))
	}

	return fmt.Sprintf("(%s) = ANY (%s::jsonb[])", column, p.Next()), []any{values}
}

func isPlain(value any) bool {
	switch value.(type) {
	case string, int32, int64:
		return true
	default:
		return false
	}
}
