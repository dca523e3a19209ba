"""LaTeX commands and environments that affect the visible text."""

from __future__ import annotations

NO_TEXT = frozenset((
    "label", "ref", "eqref", "pageref", "autoref", "cref", "Cref", "nameref", "vref", "cite", "citep", "citet",
    "citeauthor", "citeyear", "parencite", "textcite", "autocite", "footcite", "upcite", "nocite", "bibitem",
    "bibliography", "bibliographystyle", "addbibresource", "printbibliography", "input", "include", "includeonly",
    "subfile", "includegraphics", "usepackage", "RequirePackage", "documentclass", "PassOptionsToPackage", "hypersetup",
    "ctexset", "geometry", "graphicspath", "lstset", "tikzset", "setlength", "addtolength", "setcounter",
    "addtocounter", "refstepcounter", "numberwithin", "vspace", "hspace", "vskip", "hskip", "rule", "cline", "cmidrule",
    "pagestyle", "thispagestyle", "pagenumbering", "fontsize", "zihao", "color", "pagecolor",
    "definecolor", "linespread", "index", "thanks", "addcontentsline", "markboth", "markright",
    "setmainfont", "setsansfont", "setmonofont", "setCJKmainfont", "setCJKsansfont", "setCJKmonofont", "newtheorem",
    "theoremstyle", "captionsetup", "hyphenation", "newcounter", "newlength", "DeclareMathOperator",
    "allowdisplaybreaks", "ProvidesPackage",
))  # fmt: skip
"""Commands without text arguments."""

DEFINITIONS = frozenset((
    "newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newenvironment", "renewenvironment",
    "def", "gdef", "edef", "xdef", "let", "newif", "NewDocumentCommand", "RenewDocumentCommand",
))  # fmt: skip
"""Commands that define others."""

LAST_ONLY = {
    "href": 1, "hyperref": 0, "textcolor": 1, "colorbox": 1, "fcolorbox": 2, "multicolumn": 2, "multirow": 2,
    "parbox": 1, "raisebox": 1, "makebox": 0, "framebox": 0, "scalebox": 1, "resizebox": 2, "rotatebox": 1,
    "foreignlanguage": 1, "hypertarget": 1, "hyperlink": 1, "twocolumn": 0, "fontspec": 1, "includepdf": 1,
}  # fmt: skip
"""Commands whose last argument is the text, with the number of arguments before it."""

LINES_OF_THEIR_OWN = frozenset((
    "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "caption", "captionof",
    "frametitle", "framesubtitle", "keywords",
))  # fmt: skip

STATED = ("title", "author", "date")
"""Commands with metadata of the document."""

NOTES = frozenset(("footnote", "footnotetext", "endnote", "marginpar", "marginnote"))

BREAKS = frozenset((
    "par", "item", "newline", "linebreak", "newpage", "clearpage", "cleardoublepage", "pagebreak", "tabularnewline",
    "bigskip", "medskip", "smallskip", "and", "maketitle", "tableofcontents", "hline", "toprule", "midrule",
    "bottomrule", "centering", "noindent",
))  # fmt: skip

MATHEMATICS = frozenset((
    "equation", "align", "alignat", "flalign", "gather", "multline", "eqnarray", "displaymath", "math", "dmath",
    "subequations", "IEEEeqnarray",
))  # fmt: skip
NOT_SHOWN = frozenset(("comment", "tikzpicture", "picture", "pspicture", "filecontents", "asy"))
AS_IT_IS = frozenset(("verbatim", "Verbatim", "lstlisting", "minted", "alltt", "BVerbatim"))
ARGUMENTS = {
    "tabular": 1, "tabularx": 2, "tabulary": 2, "tabular*": 2, "longtable": 1, "array": 1, "minipage": 1,
    "multicols": 1, "thebibliography": 1, "CJK": 2, "CJK*": 2, "wrapfigure": 2, "adjustbox": 1, "spacing": 1,
    "subfigure": 1, "list": 2, "otherlanguage": 1, "letter": 0,
}  # fmt: skip
"""Number of arguments of environments that are not text."""

CHARACTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "ldots": "…", "dots": "…", "textellipsis": "…", "S": "§", "P": "¶", "dag": "†", "ddag": "‡",
    "copyright": "©", "pounds": "£", "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textbullet": "•", "textasciitilde": "~", "textbackslash": "\\",
    "textasciicircum": "^", "textunderscore": "_", "textbar": "|", "textless": "<", "textgreater": ">", "quad": " ",
    "textdegree": "°", "texttimes": "×", "qquad": " ", "space": " ", "enspace": " ", "LaTeX": "LaTeX", "TeX": "TeX",
    "XeLaTeX": "XeLaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "euro": "€", "guillemotleft": "«", "textquotesingle":
    "'", "guillemotright": "»", "textregistered": "®", "texttrademark": "™", "slash": "/", "newblock": " ",
}  # fmt: skip

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "H": "\u030b", "u": "\u0306", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip

SYMBOLS = {"\\": "\n", " ": " ", "\n": " ", "\t": " ", ",": " ", ";": " ", ":": " ", "&": "&", "%": "%", "$": "$"}
SYMBOLS |= {"#": "#", "_": "_", "{": "{", "}": "}"}

LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘"), ("'", "’"))

__all__ = [
    "ACCENTS",
    "ARGUMENTS",
    "AS_IT_IS",
    "BREAKS",
    "CHARACTERS",
    "DEFINITIONS",
    "LAST_ONLY",
    "LIGATURES",
    "LINES_OF_THEIR_OWN",
    "MATHEMATICS",
    "NOTES",
    "NOT_SHOWN",
    "NO_TEXT",
    "STATED",
    "SYMBOLS",
]
