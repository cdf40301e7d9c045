-- The door: the presence of each person at each place, the decision of a scan, and badge ids that are no longer valid.

-- Where a person is. A place is `event`, `gate:<code>` or `room:<sessionId>`. Decisions read this row instead of the scans, so that a scan costs
-- the same however many scans are stored.
create table attendance_presence (
  tenant_id integer not null,
  event_id text collate "C" not null,
  participant_id text collate "C" not null,
  place text collate "C" not null check (place = 'event' or place like 'gate:%' or place like 'room:%'),
  is_test_data boolean not null default false,
  inside boolean not null,
  -- The latest accepted scan at the place.
  at timestamptz not null,
  in_at timestamptz,
  in_scan text collate "C",
  out_at timestamptz,
  out_scan text collate "C",
  primary key (tenant_id, event_id, participant_id, place),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data) on delete cascade
) with (fillfactor = 70);
create index attendance_presence_entered on attendance_presence (tenant_id, event_id, place) where in_at is not null and not is_test_data;
create index attendance_presence_inside on attendance_presence (tenant_id, event_id, place) where inside and not is_test_data;

-- The event check-in of a person, and whether they are on site: the latest accepted scan of the event or of any gate is `in`.
create table attendance_people (
  tenant_id integer not null,
  event_id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null default false,
  checked_in_at timestamptz,
  on_site boolean not null,
  -- The latest accepted scan of the event or of a gate; null for a person who was scanned at sessions only.
  site_at timestamptz,
  primary key (tenant_id, event_id, participant_id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data) on delete cascade
) with (fillfactor = 70);

-- The number of people on site, in shards by connection, so that concurrent scans do not wait for one counter.
create table attendance_counts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  shard smallint not null,
  inside integer not null,
  primary key (tenant_id, event_id, shard),
  foreign key (tenant_id, event_id) references events
) with (fillfactor = 50);

create function attendance_count(tenant integer, event text, added integer) returns void language sql as $$
  insert into attendance_counts as c (tenant_id, event_id, shard, inside) values (tenant, event, pg_backend_pid() % 16, added)
  on conflict (tenant_id, event_id, shard) do update set inside = c.inside + excluded.inside
$$;
create function attendance_people_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform attendance_count(n.tenant_id, n.event_id, count(*)::integer) from added n where n.on_site and not n.is_test_data group by n.tenant_id, n.event_id;
  elsif tg_op = 'DELETE' then
    perform attendance_count(o.tenant_id, o.event_id, -count(*)::integer) from removed o where o.on_site and not o.is_test_data
      and exists (select from events e where e.tenant_id = o.tenant_id and e.id = o.event_id) group by o.tenant_id, o.event_id;
  else
    perform attendance_count(n.tenant_id, n.event_id, sum(n.on_site::integer - o.on_site::integer)::integer)
    from added n join removed o on o.tenant_id = n.tenant_id and o.event_id = n.event_id and o.participant_id = n.participant_id
    where n.on_site <> o.on_site and not n.is_test_data group by n.tenant_id, n.event_id;
  end if;
  return null;
end $$;
create trigger attendance_people_added after insert on attendance_people referencing new table as added
for each statement execute function attendance_people_counted();
create trigger attendance_people_changed after update on attendance_people referencing old table as removed new table as added
for each statement execute function attendance_people_counted();
create trigger attendance_people_removed after delete on attendance_people referencing old table as removed
for each statement execute function attendance_people_counted();

-- X7. Badge ids that were valid once. They are never given out again.
create table badge_id_history (
  tenant_id integer not null,
  event_id text collate "C" not null,
  badge_id text collate "C" not null,
  participant_id text collate "C" not null,
  valid_from timestamptz not null,
  valid_until timestamptz not null default lanyard_now(),
  reason text not null check (reason in ('lost', 'stolen', 'damaged', 'duplicated', 'reprint', 'replaced')),
  primary key (tenant_id, event_id, badge_id),
  foreign key (tenant_id, event_id, participant_id) references participants on delete cascade
);
create index badge_id_history_any_case on badge_id_history (tenant_id, event_id, lower(badge_id));
create index badge_id_history_of_person on badge_id_history (tenant_id, event_id, participant_id, valid_until);

-- Keeps the former id, and refuses one that was used before. It runs after the unique index of current ids has waited for concurrent changes of
-- the same id, so their history rows are visible.
create function participants_badge_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.badge_id is not null then
    insert into badge_id_history (tenant_id, event_id, badge_id, participant_id, valid_from, reason)
    values (old.tenant_id, old.event_id, old.badge_id, old.id, coalesce((select max(h.valid_until) from badge_id_history h
      where h.tenant_id = old.tenant_id and h.event_id = old.event_id and h.participant_id = old.id), old.completed_at, old.created_at), 'replaced')
    on conflict do nothing;
  end if;
  if exists (select from badge_id_history h where h.tenant_id = new.tenant_id and h.event_id = new.event_id and h.badge_id = new.badge_id) then
    raise exception 'the badge id % was used before', new.badge_id using errcode = 'unique_violation', constraint = 'badge_id_used_before';
  end if;
  return null;
end $$;
create trigger participants_badge_given after insert on participants
for each row when (new.badge_id is not null) execute function participants_badge_kept();
create trigger participants_badge_changed after update of badge_id on participants
for each row when (old.badge_id is distinct from new.badge_id) execute function participants_badge_kept();

-- The import that stored a scan, so that an import that is continued after a crash knows what it has stored.
alter table attendance_scans add column import_id text collate "C";
-- The latest scan of each device.
create index attendance_scans_of_device on attendance_scans (tenant_id, event_id, device_name, at) where device_name is not null and not is_test_data;

-- The person whose badge, id or confirmation number was scanned. `problem` is why there is none.
create function door_person(tenant integer, event text, scan jsonb, out person text, out problem text) language plpgsql stable as $$
declare
  named record;
  found_ids text[];
begin
  if scan ? 'participantId' or scan ? 'confirmationNumber' then
    select p.id into person from participants p where p.tenant_id = tenant and p.event_id = event
      and case when scan ? 'participantId' then p.id = scan->>'participantId' else p.confirmation_number = scan->>'confirmationNumber' end;
    problem := case when person is null then 'unknown_badge' end;
    return;
  end if;
  for named in select n.id, n."anyCase" as any_case from jsonb_to_recordset(scan->'names') as n (id text, "anyCase" boolean) loop
    select p.id into person from participants p where p.tenant_id = tenant and p.event_id = event and p.badge_id = named.id;
    if person is not null then return; end if;
    if named.any_case then
      select array_agg(p.id) into found_ids from participants p
      where p.tenant_id = tenant and p.event_id = event and lower(p.badge_id) = lower(named.id collate "C");
      if cardinality(found_ids) = 1 then person := found_ids[1]; return; end if;
      if cardinality(found_ids) > 1 then problem := 'ambiguous'; return; end if;
    end if;
  end loop;
  select case when exists (select from jsonb_to_recordset(scan->'names') as n (id text, "anyCase" boolean) join badge_id_history h
    on h.tenant_id = tenant and h.event_id = event and (h.badge_id = n.id or (n."anyCase" and lower(h.badge_id) = lower(n.id collate "C"))))
    then 'revoked' else 'unknown_badge' end into problem;
end $$;

-- Rows 4 to 8 of the door decision: why a person may not enter at this place and time, whatever their presence.
create function door_refusal(tenant integer, event text, rules jsonb, scan jsonb, person participants, at timestamptz,
  out reason text, out unpaid boolean) language plpgsql stable as $$
declare
  gate jsonb := rules->'gates'->(scan->>'gateCode');
  wanted text[];
  session sessions;
  opens timestamptz := (gate->>'opensAt')::timestamptz;
  closes timestamptz := (gate->>'closesAt')::timestamptz;
begin
  reason := case when person.is_test_data then 'test_data'
    when person.status = 'cancelled' then case when person.substituted_by_id is null then 'cancelled' else 'revoked' end
    when person.status <> 'complete' then person.status end;
  if reason is not null then return; end if;
  unpaid := rules->>'unpaid' <> 'allow' and exists (select from orders o where o.tenant_id = tenant and o.event_id = event
    and o.participant_id = person.id and o.balance > 0);
  if unpaid and rules->>'unpaid' = 'refuse' then reason := 'unpaid'; return; end if;
  if gate ? 'visibleForTags' then
    wanted := array(select jsonb_array_elements_text(gate->'visibleForTags'->'required'));
    if not (case gate->'visibleForTags'->>'type' when 'all' then wanted <@ person.tags when 'any' then wanted && person.tags
      else not wanted && person.tags end) then reason := 'not_allowed'; return; end if;
  end if;
  if jsonb_array_length(gate->'products') > 0 and not exists (select from order_lines l where l.tenant_id = tenant and l.event_id = event
    and l.participant_id = person.id and gate->'products' ? l.product_code group by l.product_code having sum(l.quantity) > 0) then
    reason := 'product_missing'; return;
  end if;
  if scan ? 'sessionId' then
    if (rules->>'requireEnrolment')::boolean and not exists (select from session_enrolments e where e.tenant_id = tenant and e.event_id = event
      and e.session_id = scan->>'sessionId' and e.participant_id = person.id and e.status = 'enrolled') then reason := 'not_enrolled'; return; end if;
    select * into session from sessions s where s.tenant_id = tenant and s.event_id = event and s.id = scan->>'sessionId';
    if session.status = 'cancelled' then reason := 'too_late'; return; end if;
    opens := session.starts_at;
    closes := session.ends_at;
  end if;
  if at < opens - make_interval(mins => (rules->>'earlyMinutes')::integer) then reason := 'too_early';
  elsif at > closes + make_interval(mins => (rules->>'lateMinutes')::integer) then reason := 'too_late'; end if;
end $$;

-- Counts a person in or out of a gate or room, if it has room for one more. Returns false if it is full. `most` is the capacity by the present
-- configuration; null is unlimited.
create function door_count(tenant integer, event text, place text, added integer, most integer, beyond boolean) returns boolean language plpgsql as $$
begin
  for attempt in 1..2 loop
    update inventory i set sold = i.sold + added, capacity = most, overage = greatest(0, i.sold + added - most)
    where i.tenant_id = tenant and i.event_id = event and i.key = place and (beyond or added < 0 or most is null or i.sold + added <= most);
    if found then return true; end if;
    insert into inventory (tenant_id, event_id, key, capacity) values (tenant, event, place, most) on conflict do nothing;
    if not found then
      -- The row is there: it is full, unless a concurrent scan has just created it.
      if attempt = 2 or exists (select from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = place and i.sold >= most) then
        return false;
      end if;
    end if;
  end loop;
  return false;
end $$;

-- How many people the place of a scan holds; null is unlimited.
create function door_capacity(tenant integer, event text, rules jsonb, place text) returns integer language sql stable as $$
  select case when place like 'gate:%' then (rules->'gates'->substr(place, 6)->>'capacity')::integer
    when place like 'room:%' and (rules->>'enforceSessionCapacity')::boolean then
      (select least(s.capacity, (rules->'rooms'->>s.room_code)::integer) from sessions s
        where s.tenant_id = tenant and s.event_id = event and s.id = substr(place, 6)) end
$$;

-- What a door shows of a person.
create function door_shown(tenant integer, event text, person text) returns jsonb language sql stable as $$
  select jsonb_build_object('id', p.id, 'name', concat_ws(' ', p.first_name, p.last_name), 'company', p.company, 'tags', p.tags)
  from participants p where p.tenant_id = tenant and p.event_id = event and p.id = person
$$;

-- The place of a scan.
create function door_place(scan jsonb) returns text language sql immutable as $$
  select case scan->>'scope' when 'event' then 'event' when 'gate' then 'gate:' || (scan->>'gateCode') else 'room:' || (scan->>'sessionId') end
$$;

-- Locks what the scans change, in one order: people by id, then counters by key. A scan with one counter locks it by the update that counts.
create function door_lock(tenant integer, event text, scans jsonb, people text[]) returns void language plpgsql as $$
declare
  keys text[];
begin
  perform from participants p where p.tenant_id = tenant and p.event_id = event and p.id = any(people) order by p.id for no key update;
  select array_agg(k.key order by k.key) into keys from (
    select door_place(s.scan) as key from jsonb_array_elements(scans) as s (scan) where s.scan->>'scope' <> 'event'
    union
    -- An entry at a session ends the presence at another one.
    select r.place from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = any(people) and r.inside
      and r.place like 'room:%' and exists (select from jsonb_array_elements(scans) as s (scan) where s.scan->>'scope' = 'session')) k;
  if cardinality(keys) > 1 then
    insert into inventory (tenant_id, event_id, key) select tenant, event, k from unnest(keys) k order by k collate "C" on conflict do nothing;
    perform from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = any(keys) order by i.key for no key update;
  end if;
end $$;

-- The door decision for each scan, in order. Every scan is stored, except one whose device and nonce are known: it returns the first result.
create function door_scans(tenant integer, event text, rules jsonb, scans jsonb)
returns table (scan_id text, result text, reason text, duplicate boolean, is_test boolean, shown jsonb, warnings text[], inside integer, capacity integer)
language plpgsql as $$
declare
  people text[];
  problems text[];
  person_id text;
  scan jsonb;
  first attendance_scans;
  person participants;
  here attendance_presence;
  other record;
  no_person participants;
  at_place text;
  happened timestamptz;
  entering boolean;
  is_inside boolean;
  late boolean;
  unpaid boolean;
  next_direction text;
  flagged text;
  repeated text;
  overridden boolean;
  most integer;
begin
  select array_agg(f.person order by s.n), array_agg(f.problem order by s.n) into people, problems
  from jsonb_array_elements(scans) with ordinality as s (scan, n) cross join lateral door_person(tenant, event, s.scan) f;
  perform door_lock(tenant, event, scans, people);
  for i in 1..jsonb_array_length(scans) loop
    scan := scans->(i - 1);
    scan_id := scan->>'id';
    at_place := door_place(scan);
    entering := scan->>'direction' = 'in';
    happened := coalesce((scan->>'at')::timestamptz, lanyard_now());
    person := no_person; here := null; result := null; reason := null; duplicate := false; warnings := '{}'; inside := null; capacity := null;
    flagged := null; repeated := null; overridden := false; late := false; unpaid := false; is_inside := false;
    person_id := people[i];
    if scan ? 'nonce' then
      select * into first from attendance_scans a where a.tenant_id = tenant and a.event_id = event
        and coalesce(a.device_name, '') = coalesce(scan->>'deviceName', '') and a.nonce = scan->>'nonce';
      if found then
        scan_id := first.id; result := first.result; reason := first.reason; duplicate := true;
        is_test := first.is_test_data;
        shown := door_shown(tenant, event, case when reason is distinct from 'revoked' then first.participant_id end);
        select r.inside, r.capacity into inside, capacity from door_inside(tenant, event, rules, at_place) r;
        return next;
        continue;
      end if;
    end if;
    if person_id is not null then
      select * into person from participants p where p.tenant_id = tenant and p.event_id = event and p.id = person_id;
      select * into here from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = person_id and r.place = at_place;
      is_inside := coalesce(here.inside, false);
      repeated := case when entering and abs(extract(epoch from happened - here.in_at)) < (rules->>'duplicateSeconds')::integer then here.in_scan
        when not entering and abs(extract(epoch from happened - here.out_at)) < (rules->>'duplicateSeconds')::integer then here.out_scan end;
      -- A scan that happened before the latest one at this place is decided by the presence at its own time.
      late := coalesce(happened < here.at, false);
      if late then
        is_inside := coalesce((select a.direction = 'in' from attendance_scans a where a.tenant_id = tenant and a.event_id = event
          and a.participant_id = person_id and a.at <= happened and a.result = 'accepted' and a.scope = scan->>'scope'
          and a.gate_code is not distinct from scan->>'gateCode' and a.session_id is not distinct from scan->>'sessionId'
          order by a.at desc, a.id desc limit 1), false);
        select a.direction into next_direction from attendance_scans a where a.tenant_id = tenant and a.event_id = event
          and a.participant_id = person_id and a.at > happened and a.result = 'accepted' and a.scope = scan->>'scope'
          and a.gate_code is not distinct from scan->>'gateCode' and a.session_id is not distinct from scan->>'sessionId'
          order by a.at, a.id limit 1;
        flagged := case when next_direction = scan->>'direction' then 'out_of_order' end;
      end if;
    end if;
    if repeated is not null then
      result := 'duplicate'; reason := 'duplicate';
    elsif person_id is null then
      result := 'refused'; reason := problems[i];
    elsif happened > lanyard_now() + interval '5 minutes' or happened < (rules->>'notBefore')::timestamptz then
      result := 'refused'; reason := 'invalid_time';
    else
      if entering or not is_inside then
        select r.reason, r.unpaid into reason, unpaid from door_refusal(tenant, event, rules, scan, person, happened) r;
        if not entering and reason not in ('test_data', 'revoked', 'cancelled', 'incomplete', 'waitlisted') then reason := null; end if;
        if entering and unpaid then warnings := warnings || text 'unpaid'; end if;
      end if;
      if reason in ('test_data', 'revoked', 'cancelled', 'incomplete', 'waitlisted') then
        result := 'refused';
      else
        overridden := scan ? 'override';
        if entering and is_inside and (scan->>'scope' = 'session' or not (rules->>'reentry')::boolean) then
          reason := coalesce(reason, 'already_in'); flagged := 'already_in';
        elsif entering and is_inside then
          flagged := 'missed_out'; warnings := warnings || text 'missed_out';
        elsif not entering and not is_inside then
          reason := coalesce(reason, 'not_in'); flagged := 'not_in';
        end if;
        if reason is null or overridden then
          most := door_capacity(tenant, event, rules, at_place);
          if entering <> is_inside and not late and at_place <> 'event'
            and not door_count(tenant, event, at_place, case when entering then 1 else -1 end, most, overridden) then
            reason := 'full';
          elsif overridden and reason is null and entering and not is_inside and most is not null
            and (select i.overage > 0 from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = at_place) then
            reason := 'full';
          end if;
        end if;
        result := case when reason is null or overridden then 'accepted' else 'refused' end;
        overridden := overridden and reason is not null;
      end if;
      if result = 'refused' then flagged := null; warnings := '{}'; end if;
    end if;
    insert into attendance_scans (tenant_id, event_id, id, participant_id, is_test_data, scope, gate_code, session_id, direction, at, method,
      device_name, nonce, result, reason, override, flag, duplicate_of)
    values (tenant, event, scan_id, person_id, coalesce(person.is_test_data, false), scan->>'scope', scan->>'gateCode', scan->>'sessionId',
      scan->>'direction', happened, scan->>'method', scan->>'deviceName', scan->>'nonce', result, reason,
      case when overridden then scan->'override' end, flagged, repeated)
    on conflict do nothing;
    if not found then
      raise exception 'the same scan was stored concurrently' using errcode = 'serialization_failure';
    end if;
    if result = 'accepted' then
      if entering and scan->>'scope' = 'session' and not late then
        for other in select r.place from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = person_id
          and r.inside and r.place like 'room:%' and r.place <> at_place and r.at <= happened loop
          insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, session_id, direction, at, method, device_name, result, assumed)
          values (tenant, event, left(scan_id, 12) || left(md5(scan_id || other.place), 12), person_id, 'session', substr(other.place, 6), 'out',
            happened, scan->>'method', scan->>'deviceName', 'accepted', true);
          perform door_count(tenant, event, other.place, -1, door_capacity(tenant, event, rules, other.place), true);
          update attendance_presence r set inside = false, at = happened, out_at = happened, out_scan = left(scan_id, 12) || left(md5(scan_id || other.place), 12)
          where r.tenant_id = tenant and r.event_id = event and r.participant_id = person_id and r.place = other.place;
        end loop;
      end if;
      perform door_move(tenant, event, person_id, at_place, entering, happened, scan_id);
    end if;
    is_test := coalesce(person.is_test_data, false);
    shown := door_shown(tenant, event, case when reason is distinct from 'revoked' then person_id end);
    select r.inside, r.capacity into inside, capacity from door_inside(tenant, event, rules, at_place) r;
    return next;
  end loop;
end $$;

-- Updates where a person is after an accepted scan.
create function door_move(tenant integer, event text, person text, at_place text, entering boolean, happened timestamptz, scan text)
returns void language plpgsql as $$
begin
  insert into attendance_presence as r (tenant_id, event_id, participant_id, place, inside, at, in_at, in_scan, out_at, out_scan)
  values (tenant, event, person, at_place, entering, happened, case when entering then happened end, case when entering then scan end,
    case when not entering then happened end, case when not entering then scan end)
  on conflict (tenant_id, event_id, participant_id, place) do update set
    inside = case when excluded.at >= r.at then excluded.inside else r.inside end, at = greatest(excluded.at, r.at),
    in_scan = case when excluded.in_at >= r.in_at or r.in_at is null then coalesce(excluded.in_scan, r.in_scan) else r.in_scan end,
    in_at = greatest(excluded.in_at, r.in_at),
    out_scan = case when excluded.out_at >= r.out_at or r.out_at is null then coalesce(excluded.out_scan, r.out_scan) else r.out_scan end,
    out_at = greatest(excluded.out_at, r.out_at);
  insert into attendance_people as p (tenant_id, event_id, participant_id, checked_in_at, on_site, site_at)
  values (tenant, event, person, case when entering then happened end, entering, case when at_place not like 'room:%' then happened end)
  on conflict (tenant_id, event_id, participant_id) do update set checked_in_at = least(p.checked_in_at, excluded.checked_in_at),
    on_site = case when excluded.site_at >= p.site_at or (p.site_at is null and excluded.site_at is not null) then excluded.on_site else p.on_site end,
    site_at = greatest(p.site_at, excluded.site_at)
  where (at_place not like 'room:%') or (entering and (p.checked_in_at is null or excluded.checked_in_at < p.checked_in_at));
  -- A session also checks the person in to the event, if no door has.
  if entering and at_place like 'room:%' then
    insert into attendance_presence (tenant_id, event_id, participant_id, place, inside, at, in_at, in_scan)
    select tenant, event, person, 'event', true, happened, happened, scan
    where not exists (select from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = person and r.place not like 'room:%')
    on conflict do nothing;
  end if;
end $$;

-- Writes the presence of people after an import, and counts those who are now inside or outside. An import tells who did enter, so it may exceed a capacity.
create function door_replace(tenant integer, event text, rules jsonb, states jsonb) returns void language sql as $$
  with wanted as materialized (
    select s.* from jsonb_to_recordset(states) as s (person text, test boolean, place text, inside boolean, at timestamptz,
      in_at timestamptz, in_scan text, out_at timestamptz, out_scan text)
  ), counted as (
    insert into inventory as i (tenant_id, event_id, key, capacity, sold, overage)
    select tenant, event, c.place, c.most, greatest(0, c.added), greatest(0, c.added - c.most) from (
      select w.place, sum(w.inside::integer - coalesce(r.inside, false)::integer)::integer as added, door_capacity(tenant, event, rules, w.place) as most
      from wanted w left join attendance_presence r on r.tenant_id = tenant and r.event_id = event and r.participant_id = w.person and r.place = w.place
      where w.place <> 'event' and not w.test and w.inside <> coalesce(r.inside, false) group by w.place order by w.place collate "C") c
    on conflict (tenant_id, event_id, key) do update set sold = i.sold + (select sum(w.inside::integer - coalesce(r.inside, false)::integer)::integer
        from wanted w left join attendance_presence r on r.tenant_id = tenant and r.event_id = event and r.participant_id = w.person and r.place = w.place
        where w.place = i.key and not w.test),
      capacity = excluded.capacity, overage = greatest(0, i.sold + (select sum(w.inside::integer - coalesce(r.inside, false)::integer)::integer
        from wanted w left join attendance_presence r on r.tenant_id = tenant and r.event_id = event and r.participant_id = w.person and r.place = w.place
        where w.place = i.key and not w.test) - excluded.capacity)
  )
  insert into attendance_presence as r (tenant_id, event_id, participant_id, place, is_test_data, inside, at, in_at, in_scan, out_at, out_scan)
  select tenant, event, w.person, w.place, w.test, w.inside, w.at, w.in_at, w.in_scan, w.out_at, w.out_scan from wanted w
  on conflict (tenant_id, event_id, participant_id, place) do update set inside = excluded.inside, at = excluded.at, in_at = excluded.in_at,
    in_scan = excluded.in_scan, out_at = excluded.out_at, out_scan = excluded.out_scan
$$;

-- The number of people at a place, and how many it holds.
create function door_inside(tenant integer, event text, rules jsonb, at_place text, out inside integer, out capacity integer) language plpgsql stable as $$
begin
  if at_place = 'event' then
    select coalesce(sum(c.inside), 0) into inside from attendance_counts c where c.tenant_id = tenant and c.event_id = event;
  else
    select i.sold into inside from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = at_place;
    inside := coalesce(inside, 0);
    capacity := door_capacity(tenant, event, rules, at_place);
  end if;
end $$;

-- Scans by five minutes, for summaries that do not read every scan. Shards by connection, as above.
create table attendance_figures (
  tenant_id integer not null,
  event_id text collate "C" not null,
  from_at timestamptz not null,
  scope text not null,
  gate_code text collate "C" not null,
  direction text not null,
  result text not null,
  reason text not null,
  overridden boolean not null,
  shard smallint not null,
  scans integer not null,
  primary key (tenant_id, event_id, from_at, scope, gate_code, direction, result, reason, overridden, shard),
  foreign key (tenant_id, event_id) references events
) with (fillfactor = 70);

create function attendance_scans_counted() returns trigger language plpgsql as $$
begin
  insert into attendance_figures as f (tenant_id, event_id, from_at, scope, gate_code, direction, result, reason, overridden, shard, scans)
  select n.tenant_id, n.event_id, date_bin('5 minutes', n.at, timestamptz '2000-01-01 00:00:00Z'), n.scope, coalesce(n.gate_code, ''), n.direction, n.result,
    case when n.result = 'refused' then n.reason else '' end, n.override is not null, pg_backend_pid() % 16, case when tg_op = 'DELETE' then -1 else 1 end * count(*)
  from moved n where not n.is_test_data and (tg_op = 'INSERT' or exists (select from events e where e.tenant_id = n.tenant_id and e.id = n.event_id))
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  order by 1, 2, 3, 4, 5, 6, 7, 8, 9
  on conflict (tenant_id, event_id, from_at, scope, gate_code, direction, result, reason, overridden, shard) do update set scans = f.scans + excluded.scans;
  return null;
end $$;
create trigger attendance_scans_added after insert on attendance_scans referencing new table as moved
for each statement execute function attendance_scans_counted();
create trigger attendance_scans_removed after delete on attendance_scans referencing old table as moved
for each statement execute function attendance_scans_counted();
insert into attendance_figures (tenant_id, event_id, from_at, scope, gate_code, direction, result, reason, overridden, shard, scans)
select n.tenant_id, n.event_id, date_bin('5 minutes', n.at, timestamptz '2000-01-01 00:00:00Z'), n.scope, coalesce(n.gate_code, ''), n.direction, n.result,
  case when n.result = 'refused' then n.reason else '' end, n.override is not null, 0, count(*)
from attendance_scans n where not n.is_test_data group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- Phones and scanners at the doors. The link that the console shows once contains the token.
create table door_devices (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  name text not null check (length(name) between 1 and 80),
  gate_code text collate "C",
  token_hash bytea not null,
  created_by text not null,
  created_by_name text not null,
  expires_at timestamptz not null,
  last_seen_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, token_hash),
  foreign key (tenant_id, event_id) references events
);
create index door_devices_of_token on door_devices (token_hash);
create unique index door_devices_name on door_devices (tenant_id, event_id, lower(name)) where revoked_at is null;
