-- What the database changes by itself, because of another row or because its time is over, is told like what a domain announces: noted in the
-- transaction, read by whoever keeps the change. What is undone takes its notes along, and where nobody listens nothing is noted.
create function lanyard_announce(tenant integer, event text, kind text, entity text, ids text[], changed text[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 0 and exists (select from webhook_endpoints w where w.tenant_id = tenant and w.status = 'active') then
    perform set_config('lanyard.announced', concat(current_setting('lanyard.announced', true),
      json_build_object('eventId', event, 'kind', kind, 'entity', entity, 'ids', ids, 'changed', changed), E'\n'), true);
  end if;
end $$;

-- An offer that ran out ends the waiting of whoever waited for nothing else, also where somebody else's purchase ended it.
create or replace function participants_stop_waiting(tenant integer, event text, participant text) returns void language sql as $$
  with stopped as (
    update participants p set status = 'incomplete'
    where p.tenant_id = tenant and p.event_id = event and p.id = participant and p.status = 'waitlisted' and not exists (
      select from waitlist_entries w where w.tenant_id = p.tenant_id and w.event_id = p.event_id and w.participant_id = p.id
        and w.status in ('waiting', 'offered'))
    returning p.id)
  select lanyard_announce(tenant, event, 'participant.updated', 'participant', array_agg(s.id), '{status}') from stopped s $$;

create or replace function orders_touch_people() returns trigger language plpgsql as $$
declare
  tenant integer := coalesce(new.tenant_id, old.tenant_id);
  event text := coalesce(new.event_id, old.event_id);
begin
  update participants p set revision = p.revision
  where p.tenant_id = tenant and p.event_id = event and p.id in (old.participant_id, new.participant_id) and not stamped_here(p.xmin);
  perform lanyard_announce(tenant, event, 'participant.updated', 'participant',
    array_remove(array[old.participant_id, new.participant_id], null), '{orderId}');
  return null;
end $$;

create or replace function touch_group() returns trigger language plpgsql as $$
begin
  update managed_groups g set revision = g.revision
  where g.tenant_id = new.tenant_id and g.event_id = new.event_id and g.id = new.group_id and not stamped_here(g.xmin);
  perform lanyard_announce(new.tenant_id, new.event_id, 'group.updated', 'group', array[new.group_id], '{leaderIds}');
  return null;
end $$;

create or replace function participants_touch_others() returns trigger language plpgsql as $$
declare
  touched text[];
  changed text[];
begin
  with touching as (
    update leads l set revision = l.revision
    where l.tenant_id = new.tenant_id and l.event_id = new.event_id and l.participant_id = new.id and not stamped_here(l.xmin)
    returning l.id)
  select array_agg(t.id) into touched from touching t;
  changed := array_remove(array[
    case when old.badge_id is distinct from new.badge_id then 'badgeId' end,
    case when (old.first_name, old.last_name, old.email, old.job_title, old.company, old.bio, old.headshot, old.website, old.work_phone,
        old.mobile_phone, old.avatar_choice, old.ai_avatar_file_id, old.sharing)
      is distinct from (new.first_name, new.last_name, new.email, new.job_title, new.company, new.bio, new.headshot, new.website, new.work_phone,
        new.mobile_phone, new.avatar_choice, new.ai_avatar_file_id, new.sharing) then 'fields' end,
    case when (old.sharing, old.custom_field_responses) is distinct from (new.sharing, new.custom_field_responses) then 'customFields' end], null);
  perform lanyard_announce(new.tenant_id, new.event_id, 'lead.updated', 'lead', touched, changed);
  if old.group_id is distinct from new.group_id then
    with touching as (
      update reservations r set revision = r.revision
      where r.tenant_id = new.tenant_id and r.event_id = new.event_id and r.participant_id = new.id and not stamped_here(r.xmin)
      returning r.id, r.status)
    select array_agg(t.id) into touched from touching t where t.status = 'confirmed';
    perform lanyard_announce(new.tenant_id, new.event_id, 'reservation.changed', 'reservation', touched, '{groupId}');
  end if;
  return null;
end $$;

create or replace function event_hotels_touch_stays() returns trigger language plpgsql as $$
declare
  touched text[];
begin
  with touching as (
    update reservations r set revision = r.revision
    where r.tenant_id = new.tenant_id and r.event_id = new.event_id and r.hotel_id = new.id and not stamped_here(r.xmin)
    returning r.id, r.status)
  select array_agg(t.id) into touched from touching t where t.status = 'confirmed';
  perform lanyard_announce(new.tenant_id, new.event_id, 'reservation.changed', 'reservation', touched, '{hotelName}');
  return null;
end $$;

create or replace function touch_company() returns trigger language plpgsql as $$
begin
  update companies c set revision = c.revision
  where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.id = new.company_id and not stamped_here(c.xmin);
  perform lanyard_announce(new.tenant_id, new.event_id, 'company.updated', 'company', array[new.company_id], '{booths}');
  return null;
end $$;

create or replace function booths_touch_companies() returns trigger language plpgsql as $$
declare
  touched text[];
begin
  with touching as (
    update companies c set revision = c.revision
    from booth_assignments a join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
    where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.id = a.company_id and not stamped_here(c.xmin)
      and a.tenant_id = new.tenant_id and a.event_id = new.event_id and a.until is null and new.id in (b.id, b.floor_plan_id)
    returning c.id)
  select array_agg(t.id) into touched from touching t;
  perform lanyard_announce(new.tenant_id, new.event_id, 'company.updated', 'company', touched, '{booths}');
  return null;
end $$;

create or replace function speakers_touch_sessions() returns trigger language plpgsql as $$
declare
  touched text[];
begin
  with touching as (
    update sessions s set revision = s.revision from session_speakers p
    where s.tenant_id = new.tenant_id and s.event_id = new.event_id and s.id = p.session_id and not stamped_here(s.xmin)
      and p.tenant_id = new.tenant_id and p.event_id = new.event_id and p.speaker_id = new.id
    returning s.id)
  select array_agg(t.id) into touched from touching t;
  perform lanyard_announce(new.tenant_id, new.event_id, 'session.updated', 'session', touched, '{speakers}');
  return null;
end $$;

-- Who comes to a session is announced where they are let in: test data takes no place, and is told to nobody.
create or replace function touch_session() returns trigger language plpgsql as $$
declare
  tenant integer := coalesce(new.tenant_id, old.tenant_id);
  event text := coalesce(new.event_id, old.event_id);
  touched text := coalesce(new.session_id, old.session_id);
begin
  update sessions s set revision = s.revision where s.tenant_id = tenant and s.event_id = event and s.id = touched and not stamped_here(s.xmin);
  if tg_table_name = 'session_speakers' then
    perform lanyard_announce(tenant, event, 'session.updated', 'session', array[touched], '{speakers}');
  end if;
  return null;
end $$;
