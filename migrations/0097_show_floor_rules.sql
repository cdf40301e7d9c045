-- Rules of the show floor, also for kinds of writes that no tool makes today.

-- X1. A booth whose open assignment is deleted is no longer assigned.
create or replace function booths_assigned_as_told() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(coalesce(new, old));
  tenant integer := (changed ->> 'tenant_id')::integer;
  event text := changed ->> 'event_id';
  booth text := coalesce(changed ->> 'booth_id', changed ->> 'id');
begin
  if coalesce((select b.status = 'assigned' from booths b where b.tenant_id = tenant and b.event_id = event and b.id = booth), false)
    is distinct from exists (select from booth_assignments a
      where a.tenant_id = tenant and a.event_id = event and a.booth_id = booth and a.until is null) then
    raise exception 'a booth is assigned exactly while a company has it' using errcode = 'check_violation', constraint = 'booths_assigned_as_told';
  end if;
  return null;
end $$;
create constraint trigger booth_assignments_removed after delete on booth_assignments
deferrable initially deferred for each row when (old.until is null) execute function booths_assigned_as_told();

-- X3. A booth of an open offer is not deleted.
create constraint trigger booths_offer_kept after delete on booths
deferrable initially deferred for each row when (old.held_for is not null) execute function booths_offer_held();

-- X4. A capture that becomes a scan, is no longer one, or gets another time changes the figures of its lead.
create or replace function leads_count() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.lead_id <> old.lead_id then
    if new.type in ('sdk', 'device') then
      update leads set captures = captures + 1, first_captured_at = least(first_captured_at, new.at), last_captured_at = greatest(last_captured_at, new.at)
      where tenant_id = new.tenant_id and event_id = new.event_id and id = new.lead_id;
    end if;
  end if;
  if tg_op <> 'INSERT' and (old.type in ('sdk', 'device') or new.type in ('sdk', 'device')) then
    update leads l set captures = s.scans, first_captured_at = s.first, last_captured_at = s.last
    from (select count(*)::int as scans, min(c.at) as first, max(c.at) as last from lead_captures c
      where c.tenant_id = old.tenant_id and c.event_id = old.event_id and c.lead_id = old.lead_id and c.type in ('sdk', 'device')) s
    where l.tenant_id = old.tenant_id and l.event_id = old.event_id and l.id = old.lead_id;
  end if;
  return null;
end $$;
drop trigger lead_captures_counted on lead_captures;
create trigger lead_captures_counted after insert or delete or update of lead_id, type, at on lead_captures
for each row execute function leads_count();

-- X5, X6. A live appointment that moves to another slot or person is counted and blocked there.
create or replace function appointments_count() returns trigger language plpgsql as $$
declare
  was boolean := tg_op <> 'INSERT' and old.status in ('pending', 'booked');
  is_now boolean := tg_op <> 'DELETE' and new.status in ('pending', 'booked');
  same_meeting boolean := tg_op = 'UPDATE' and (old.starts_at, old.ends_at, old.participant_id, old.with_participant_id)
    is not distinct from (new.starts_at, new.ends_at, new.participant_id, new.with_participant_id);
  same_slot boolean := tg_op = 'UPDATE' and old.offering_id = new.offering_id;
begin
  if was and not (is_now and same_meeting) then
    delete from appointment_people where tenant_id = old.tenant_id and event_id = old.event_id and appointment_id = old.id;
  end if;
  if is_now and not (was and same_meeting) then
    insert into appointment_people (tenant_id, event_id, appointment_id, participant_id, starts_at, ends_at)
    select new.tenant_id, new.event_id, new.id, p, new.starts_at, new.ends_at
    from unnest(array[new.participant_id, new.with_participant_id]) p where p is not null;
  end if;
  if was and not (is_now and same_slot) then
    update offerings set booked = booked - 1 where tenant_id = old.tenant_id and event_id = old.event_id and id = old.offering_id;
  end if;
  if is_now and not (was and same_slot) then
    update offerings set booked = booked + 1 where tenant_id = new.tenant_id and event_id = new.event_id and id = new.offering_id;
  end if;
  return coalesce(new, old);
end $$;
drop trigger appointments_counted on appointments;
create trigger appointments_counted
after insert or update of status, starts_at, ends_at, offering_id, participant_id, with_participant_id on appointments
for each row execute function appointments_count();

-- X7. An id becomes a former one only when nobody has it any more. Checked at the end of the transaction, because a rotation writes the history
-- first.
create function badge_id_history_former() returns trigger language plpgsql as $$
begin
  if exists (select from participants p where p.tenant_id = new.tenant_id and p.event_id = new.event_id and p.badge_id = new.badge_id) then
    raise exception 'the badge id % is in use', new.badge_id using errcode = 'unique_violation', constraint = 'badge_id_in_use';
  end if;
  return null;
end $$;
create constraint trigger badge_id_history_former after insert or update of badge_id on badge_id_history
deferrable initially deferred for each row execute function badge_id_history_former();
