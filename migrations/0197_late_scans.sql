-- Scans that arrive late. An entry at a session that happened before an entry at another one now ends with it, and ends the presence at other
-- sessions of its own time. A late scan that repeats any earlier one, not only the latest, is a duplicate.

-- Whether a person was inside at a time, by the scans that are stored.
create function door_was_inside(tenant integer, event text, person text, at_place text, moment timestamptz) returns boolean language sql stable as $$
  select coalesce((select a.direction = 'in' from attendance_scans a where a.tenant_id = tenant and a.event_id = event and a.participant_id = person
    and a.at <= moment and a.result = 'accepted'
    and a.scope = case when at_place = 'event' then 'event' when at_place like 'gate:%' then 'gate' else 'session' end
    and a.gate_code is not distinct from case when at_place like 'gate:%' then substr(at_place, 6) end
    and a.session_id is not distinct from case when at_place like 'room:%' then substr(at_place, 6) end
    order by a.at desc, a.id desc limit 1), false)
$$;

-- Ends the presence of a person at a session with an assumed exit, at the time of the entry at another session.
create function door_leave(tenant integer, event text, rules jsonb, person text, at_place text, happened timestamptz, method text, device text,
  scan text) returns void language plpgsql as $$
declare
  exit_id text := left(scan, 12) || left(md5(scan || at_place), 12);
  next_direction text;
begin
  select a.direction into next_direction from attendance_scans a where a.tenant_id = tenant and a.event_id = event and a.participant_id = person
    and a.at > happened and a.result = 'accepted' and a.flag is null and a.session_id = substr(at_place, 6)
    order by a.at, a.id limit 1;
  insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, session_id, direction, at, method, device_name, result, flag, assumed)
  values (tenant, event, exit_id, person, 'session', substr(at_place, 6), 'out', happened, method, device, 'accepted',
    case when next_direction = 'out' then 'out_of_order' end, true);
  if exists (select from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = person and r.place = at_place
    and r.inside and r.at <= happened) then
    perform door_count(tenant, event, at_place, -1, door_capacity(tenant, event, rules, at_place), true);
  end if;
  perform door_move(tenant, event, person, at_place, false, happened, exit_id);
end $$;

-- The function of 0077 with these rules.
create or replace function door_scans(tenant integer, event text, rules jsonb, scans jsonb)
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
  moved attendance_scans;
  no_scan attendance_scans;
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
    person := no_person; here := null; moved := no_scan; result := null; reason := null; duplicate := false; warnings := '{}'; inside := null; capacity := null;
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
      if repeated is null and happened < here.at then
        select a.id into repeated from attendance_scans a where a.tenant_id = tenant and a.event_id = event
          and a.participant_id = person_id and a.result = 'accepted' and a.direction = scan->>'direction' and a.scope = scan->>'scope'
          and a.gate_code is not distinct from scan->>'gateCode' and a.session_id is not distinct from scan->>'sessionId'
          and a.at > happened - make_interval(secs => (rules->>'duplicateSeconds')::integer)
          and a.at < happened + make_interval(secs => (rules->>'duplicateSeconds')::integer)
          order by abs(extract(epoch from a.at - happened)), a.id limit 1;
      end if;
      -- The next entry at another session, which ends the presence that this entry begins.
      if entering and scan->>'scope' = 'session' and exists (select from attendance_presence r where r.tenant_id = tenant and r.event_id = event
        and r.participant_id = person_id and r.place like 'room:%' and r.place <> at_place and r.in_at > happened) then
        select a.* into moved from attendance_scans a where a.tenant_id = tenant and a.event_id = event and a.participant_id = person_id
          and a.at > happened and a.result = 'accepted' and a.direction = 'in' and a.session_id <> scan->>'sessionId'
          order by a.at, a.id limit 1;
      end if;
      -- A scan that happened before the latest one at this place, or before an entry at another session, is decided by the presence at its own
      -- time. It does not change how many people are inside now.
      late := coalesce(happened < here.at, false) or moved.id is not null;
      if late then
        is_inside := door_was_inside(tenant, event, person_id, at_place, happened);
        select a.direction into next_direction from attendance_scans a where a.tenant_id = tenant and a.event_id = event
          and a.participant_id = person_id and a.at > happened and a.at <= coalesce(moved.at, 'infinity') and a.result = 'accepted'
          and a.scope = scan->>'scope' and a.gate_code is not distinct from scan->>'gateCode'
          and a.session_id is not distinct from scan->>'sessionId'
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
      if entering and scan->>'scope' = 'session' then
        for other in select r.place from attendance_presence r where r.tenant_id = tenant and r.event_id = event and r.participant_id = person_id
          and r.place like 'room:%' and r.place <> at_place
          and case when r.at <= happened then r.inside else door_was_inside(tenant, event, person_id, r.place, happened) end loop
          perform door_leave(tenant, event, rules, person_id, other.place, happened, scan->>'method', scan->>'deviceName', scan_id);
        end loop;
        if moved.id is not null and door_was_inside(tenant, event, person_id, at_place, moved.at) then
          perform door_leave(tenant, event, rules, person_id, at_place, moved.at, moved.method, moved.device_name, scan_id);
        end if;
      end if;
      perform door_move(tenant, event, person_id, at_place, entering, happened, scan_id);
    end if;
    is_test := coalesce(person.is_test_data, false);
    shown := door_shown(tenant, event, case when reason is distinct from 'revoked' then person_id end);
    select r.inside, r.capacity into inside, capacity from door_inside(tenant, event, rules, at_place) r;
    return next;
  end loop;
end $$;
