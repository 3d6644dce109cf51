-- An answer that says again what is loaded already is known by its digest.

alter table ops.slice add column answer_digest bytea;
create index slice_answer on ops.slice (answer_digest) where answer_digest is not null;
comment on column ops.slice.answer_digest is 'SHA-256 over what was asked, the answer, and the program that read it; null unless all of the answer was loaded. The same answer to the same question is not read again while nobody else has written its cells.';
