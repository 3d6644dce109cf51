-- Coverage is read scope by scope: by the hash of the scope, which is a tenth of its size.

create index slice_scope on ops.slice (hashtextextended(scope::text, 0), window_end, window_start);
