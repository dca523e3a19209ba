"""Remote inputs and outputs: object stores, HDFS and the web.

Inputs are downloaded first, file by file, into a local folder, and read like any file. Outputs are created locally, and
uploaded once complete. Every format and every guarantee of a run therefore also holds for remote files, at the price of
disk space for downloads. No message shows a password, a key or the query of an address.
"""
