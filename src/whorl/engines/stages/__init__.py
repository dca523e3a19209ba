"""The passes of a distributed run as functions of arrays, without files, folders or locks.

Documents that share a key, have the same body or are candidates of each other are connected, and connected documents
must be decided together. So the documents are divided into parts that cannot affect each other's decisions
(``parting``); an ordinary probe decides each part, anywhere and in any order (``deciding``); and the decisions are
joined (``joining``). Nothing is approximated: the result is that of the local engine, row for row.

Everything that depends on all documents is computed before they are divided: their rank, neighboring SimHash codes
where keys are cut, the boilerplate and the keys it removes from each document, and the document frequency of each key.
"""
