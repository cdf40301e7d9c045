-- The same pattern as before, from a function whose plan a session keeps. Searches are planned for their words, and PostgreSQL computed the function in
-- SQL by parsing and planning it each time, because its FROM clause prevents inlining.
create or replace function lanyard_word_pattern(word text) returns text language plpgsql immutable parallel safe as $$
declare
  folded text := btrim(lanyard_searched(word));
begin
  return case when length(folded) < 3 then '% ' else '%' end || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
end $$;
