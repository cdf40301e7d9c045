-- Texts are compared after NFKC and case folding. Most texts are ASCII, which need neither: they have as many bytes as characters.
create or replace function lanyard_fold_text(value text) returns text language sql immutable parallel safe
  return case when octet_length(value) = length(value) then lower(value collate "C") collate "default"
    else replace(replace(normalize(lower(upper(lower(normalize(value collate "default", NFKC)))), NFKC), 'ς', 'σ'), 'ß', 'ss') end;
