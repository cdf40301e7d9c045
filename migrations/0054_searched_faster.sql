-- The same text as before, from a function whose plan a session keeps. The function in SQL was parsed and planned again by every statement that wrote
-- a searched row, which took longer than writing it: PostgreSQL does not inline it, because array_to_string is only stable.
create or replace function lanyard_searched(variadic parts text[]) returns text language plpgsql immutable parallel safe as $$
begin
  return ' ' || regexp_replace(regexp_replace(regexp_replace(
    replace(translate(lower(normalize(
      regexp_replace(normalize(array_to_string(parts, ' ') collate "default", NFKD), '[\u0300-\u036f]', '', 'g'), NFKC)), 'ςøłđı', 'σoldi'), 'ß', 'ss'),
    '\s+', ' ', 'g'),
    '([^[:alnum:][:space:]])', '\1 ', 'g'),
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g');
end $$;
