"""The passes of a run beyond one machine, as functions of arrays: no file, no folder and no lock is theirs.

Documents that share a key, have the same body or were found for each other hang together, and what hangs together is
decided together. So the documents are divided into parts of which none can change a decision in another (``parting``);
each part is decided by an ordinary probe, anywhere and in any order (``deciding``); and what was decided is joined
(``joining``). Nothing is approximated on the way: the result is that of the local engine, row for row.

What does depend on all documents is settled before they are divided: their rank, SimHash codes that are near each other
where keys are cut, what is boilerplate and which keys it takes from whom, and how many documents have each key.
"""
