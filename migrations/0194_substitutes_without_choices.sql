-- Substitutes who had an unfinished registration kept its product choices in their answers, and the next edit sold them. A complete
-- registration stores its bookings in other tables.
update participants p set answers = (
  select coalesce(jsonb_object_agg(a.key, a.value), '{}') from jsonb_each(p.answers) a where a.key !~ '^@(product|guest|discount|session)\.')
where p.substitutes_id is not null and p.status = 'complete'
  and exists (select from jsonb_object_keys(p.answers) as k(key) where k.key ~ '^@(product|guest|discount|session)\.');
