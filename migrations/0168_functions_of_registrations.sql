-- Functions that every registration calls. A function in SQL that is not inlined is parsed and planned for each statement that calls it; in
-- PL/pgSQL its statements are planned once per connection.

create or replace function number_take(tenant integer, event text, of_series text, written_before text) returns text language plpgsql as $$
declare
  taken text;
begin
  insert into number_series as s (tenant_id, event_id, series, last) values (tenant, event, of_series, 1)
  on conflict (tenant_id, event_id, series) do update set last = s.last + 1
  returning s.last::text into taken;
  return written_before || case when length(taken) < 6 then lpad(taken, 6, '0') else taken end;
end $$;

create or replace function number_take(tenant integer, event text, of_series text, written_before text, digits integer) returns text language plpgsql as $$
declare
  taken text;
begin
  insert into number_series as s (tenant_id, event_id, series, last) values (tenant, event, of_series, 1)
  on conflict (tenant_id, event_id, series) do update set last = s.last + 1
  returning s.last::text into taken;
  return written_before || case when length(taken) < digits then lpad(taken, digits, '0') else taken end;
end $$;

create or replace function lanyard_has_listeners(tenant integer) returns boolean language plpgsql stable as $$
begin
  return exists (select from webhook_endpoints w where w.tenant_id = tenant and w.status = 'active');
end $$;

-- Text of printable ASCII characters, such as most names, needs no normalization, which takes most of the time. The result is the same.
create or replace function lanyard_searched(variadic parts text[]) returns text language plpgsql immutable parallel safe as $$
declare
  joined text := array_to_string(parts, ' ');
begin
  if joined ~ '^[ -~]*$' then
    return ' ' || regexp_replace(regexp_replace(lower(joined collate "C"), '  +', ' ', 'g'), '([^a-z0-9 ])', '\1 ', 'g');
  end if;
  return ' ' || regexp_replace(regexp_replace(regexp_replace(
    replace(translate(lower(normalize(
      regexp_replace(normalize(joined collate "default", NFKD), '[\u0300-\u036f]', '', 'g'), NFKC)), 'ςøłđı', 'σoldi'), 'ß', 'ss'),
    '\s+', ' ', 'g'),
    '([^[:alnum:][:space:]])', '\1 ', 'g'),
    '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g');
end $$;

create or replace function contact_of_person(tenant integer, event text, given text, said jsonb, numbers text[], origin text, current text, is_complete boolean)
returns text language plpgsql set enable_seqscan = off as $$
declare
  client text := (select e.client_id from events e where e.tenant_id = tenant and e.id = event);
  named text := said ->> 'first_name';
  places integer;
  found_id text;
  stays boolean;
begin
  loop
    -- Before the look at who has them: whoever takes a place after it is met when the next one is taken.
    select coalesce(max(m.place), 0) into places from contact_emails m
    where m.tenant_id = tenant and m.client_id = client and m.address_norm = lanyard_fold_email(given);
    found_id := null;
    -- Looked for twice: whoever was merged into another while this waited is found there then.
    for look in 1..least(places * 2, 2) loop
      -- One by one, so that names are weighed of those alone, whatever the server thinks of how many there are.
      select c.id into found_id from contact_emails m cross join lateral (
        select k.id, k.first_name, k.last_name from contacts k
        where k.tenant_id = m.tenant_id and k.id = m.contact_id and k.merged_into is null offset 0) c
      where m.tenant_id = tenant and m.client_id = client and m.address_norm = lanyard_fold_email(given)
        and (lower(c.first_name) = lower(named) or contact_first_name_weight(c.first_name, named) >= 0)
      order by c.id is distinct from current, lower(c.first_name) is distinct from lower(named),
        lower(c.last_name) is distinct from lower(said ->> 'last_name'), c.id
      limit 1;
      exit when found_id is null;
      perform from contacts c where c.tenant_id = tenant and c.id = found_id and c.merged_into is null for no key update;
      exit when found;
      found_id := null;
    end loop;
    if found_id is not null then
      if is_complete then perform contact_learn(tenant, found_id, said, numbers, origin); end if;
      return found_id;
    end if;
    -- A person who is new has no contact. With a null the statement would be planned for each of them.
    if current is not null then
      select c.id into found_id from contacts c where c.tenant_id = tenant and c.client_id = client and c.id = current and c.merged_into is null
        and contact_first_name_weight(c.first_name, named) >= 0 for no key update;
    end if;
    stays := found_id is not null;
    with mail as (
      insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
      values (tenant, client, coalesce(found_id, lanyard_new_id()), given, places + 1, not stays)
      on conflict (tenant_id, client_id, address_norm, place) do nothing returning contact_id
    ), made as (
      insert into contacts (tenant_id, client_id, id, first_name, last_name, company, job_title, city, region, postal_code, country, language, linkedin,
        phones, provenance)
      select tenant, client, mail.contact_id, said ->> 'first_name', said ->> 'last_name', said ->> 'company', said ->> 'job_title', said ->> 'city',
        said ->> 'region', said ->> 'postal_code', said ->> 'country', said ->> 'language', said ->> 'linkedin', numbers, contact_origins(said, origin)
      from mail where not stays)
    select (select mail.contact_id from mail) into found_id;
    continue when found_id is null;
    if stays then
      update contact_emails m set is_primary = false where m.tenant_id = tenant and m.contact_id = found_id and m.is_primary;
      update contact_emails m set is_primary = true where m.tenant_id = tenant and m.contact_id = found_id and m.address_norm = lanyard_fold_email(given);
      if is_complete then perform contact_learn(tenant, found_id, said, numbers, origin); end if;
    end if;
    if places > 0 then
      perform contact_pair_up(tenant, client, m.contact_id, found_id, case when is_complete then event end) from contact_emails m
      where m.tenant_id = tenant and m.client_id = client and m.address_norm = lanyard_fold_email(given) and m.contact_id <> found_id;
    end if;
    return found_id;
  end loop;
end $$;
