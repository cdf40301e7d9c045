-- Most texts are ASCII, which have as many bytes as characters and need neither normalization nor full case folding.
create or replace function lanyard_fold_text(value text) returns text language sql immutable parallel safe
  return case when octet_length(value) = length(value) then lower(value collate "C") collate "default"
    else replace(replace(normalize(replace(normalize(lower(upper(lower(replace(normalize(value collate "default", NFKC), 'İ', 'i' || chr(775))))), NFD),
      chr(837), 'ι'), NFKC), 'ς', 'σ'), 'ß', 'ss') end;
