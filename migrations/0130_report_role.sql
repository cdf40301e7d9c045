-- Texts are compared after NFKC and case folding, as conditions compare them.
create function lanyard_fold_text(value text) returns text language sql immutable parallel safe
  return replace(replace(normalize(lower(upper(lower(normalize(value collate "default", NFKC)))), NFKC), 'ς', 'σ'), 'ß', 'ss');
