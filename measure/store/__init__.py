"""What was read once is not read again: a manifest, raw tables and frames in the user's cache folder.

Nothing here is the truth: the transcripts are. Whatever is missing, damaged, older or newer than this version is read
anew. The store holds no message text. Layout of the folder:

    store.sqlite                     manifest of files, segments, answers (WAL: many readers, one writer)
    segments/<name>/<table>.parquet  raw tables of many files, never one a transcript
    frames/<name>/<frame>.parquet    the frames of one set of files, as last resolved
    frames/<name>/keys.bin           sorted 64-bit hashes of the response ids in them
    overview/<places>                the overview of these places as it was last printed as JSON, sealed
"""
