-- Creates the contacts of people whose email addresses nobody at the client has, as `contact_of_person` does for one person, in one statement per
-- table. `people` are { id, email, said, numbers }, each with another address; `id` is that of the contact to create. Returns the ids of the
-- contacts that were created; everyone else is left to `contact_of_person`. If a concurrent transaction takes one of these addresses, the
-- transaction fails like a serialization conflict and is retried.
create function contacts_of_new_people(tenant integer, event text, people jsonb, origin text) returns text[] language plpgsql set enable_seqscan = off as $$
declare
  client text := (select e.client_id from events e where e.tenant_id = tenant and e.id = event);
  fresh text[] := array(
    select p.id from jsonb_to_recordset(people) as p (id text, email text)
    where not exists (
      select from contact_emails m where m.tenant_id = tenant and m.client_id = client and m.address_norm = lanyard_fold_email(p.email)));
  added integer;
begin
  insert into contacts (tenant_id, client_id, id, first_name, last_name, company, job_title, city, region, postal_code, country, language, linkedin,
    phones, provenance)
  select tenant, client, p.id, p.said ->> 'first_name', p.said ->> 'last_name', p.said ->> 'company', p.said ->> 'job_title', p.said ->> 'city',
    p.said ->> 'region', p.said ->> 'postal_code', p.said ->> 'country', p.said ->> 'language', p.said ->> 'linkedin', p.numbers,
    contact_origins(p.said, origin)
  from jsonb_to_recordset(people) as p (id text, said jsonb, numbers text[]) where p.id = any(fresh);
  -- In the order of addresses, in which all transactions take the addresses of several people.
  insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
  select tenant, client, p.id, p.email, 1, true
  from jsonb_to_recordset(people) as p (id text, email text) where p.id = any(fresh) order by lanyard_fold_email(p.email) collate "C"
  on conflict (tenant_id, client_id, address_norm, place) do nothing;
  get diagnostics added = row_count;
  if added < cardinality(fresh) then
    raise exception 'an email address was taken by a concurrent transaction' using errcode = 'serialization_failure';
  end if;
  return fresh;
end $$;

-- As before, with one participant per statement: for two, the server may scan all participants of the event instead of looking them up.
create or replace function orders_touch_people() returns trigger language plpgsql as $$
declare
  tenant integer := coalesce(new.tenant_id, old.tenant_id);
  event text := coalesce(new.event_id, old.event_id);
  person text;
begin
  foreach person in array array_remove(array[old.participant_id, new.participant_id], null) loop
    update participants p set revision = p.revision
    where p.tenant_id = tenant and p.event_id = event and p.id = person and not stamped_here(p.stamped_by);
  end loop;
  perform lanyard_announce(tenant, event, 'participant.updated', 'participant',
    array_remove(array[old.participant_id, new.participant_id], null), '{orderId}');
  return null;
end $$;
