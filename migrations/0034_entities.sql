-- What integrators read: every record with when it last changed in their eyes, and what is gone.

-- Up to when every change that will ever be seen is seen already. Whatever commits later wrote its stamps after this moment, since a transaction
-- that is open now began after it. Read in a statement of its own, before the rows. Connections that only read hold nobody up.
create function lanyard_horizon() returns timestamptz language plpgsql volatile as $$
declare
  -- Before the look at who is busy: whoever begins after that look writes later than this.
  seen timestamptz := lanyard_now();
  oldest timestamptz := (select min(a.xact_start) from pg_stat_activity a
    where a.datname = current_database() and a.usename = current_user and a.pid <> pg_backend_pid() and a.application_name <> 'lanyard reading');
begin
  return date_trunc('milliseconds', least(seen, seen - (clock_timestamp() - oldest)));
end $$;

-- For programs: amounts as decimal texts with the digits of ISO 4217.
create function money_shown(minor bigint, currency text) returns json language sql immutable parallel safe as $$
  select json_build_object('amount', case
    when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then minor::text
    when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then (minor * 0.001)::text
    else (minor * 0.01)::text end, 'currency', currency) $$;

create function instant_shown(at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

create function file_shown(file text) returns text language sql immutable parallel safe as $$
  select case when file ~ '^[0-9a-f]{24}$' then '/v1/files/' || file else file end $$;

-- Answers to an event's own questions, without those that are to be kept back, files by where they are read.
create function answers_shown(answers jsonb, hidden text[], files text[]) returns jsonb language sql immutable parallel safe as $$
  select case when cardinality(hidden) = 0 and cardinality(files) = 0 then answers else (
    select coalesce(jsonb_object_agg(a.key, case
      when a.key <> all(files) then a.value
      when jsonb_typeof(a.value) = 'array' then (select coalesce(jsonb_agg(file_shown(f)), '[]') from jsonb_array_elements_text(a.value) f)
      else to_jsonb(file_shown(a.value #>> '{}')) end), '{}')
    from jsonb_each(answers) a where a.key <> all(hidden)) end $$;

-- Codes of the questions of a configuration that are of a kind.
create function questions_of(document jsonb, kind jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(f ->> 'code'), '{}') from jsonb_array_elements(coalesce(document -> 'customFields', '[]')) f where f @> kind $$;

-- Of the version that is live. Beside the event, because they are asked for with every page and the document is large.
alter table events add column sensitive_questions text[] not null default '{}', add column file_questions text[] not null default '{}';

create function config_versions_questions() returns trigger language plpgsql as $$
declare
  sensitive text[] := questions_of(new.document, '{"sensitive": true}');
  files text[] := questions_of(new.document, '{"responseType": "file"}');
begin
  update events e set sensitive_questions = sensitive, file_questions = files
  where e.tenant_id = new.tenant_id and e.id = new.event_id and (e.sensitive_questions, e.file_questions) is distinct from (sensitive, files);
  return null;
end $$;
create trigger config_versions_questions after insert on config_versions for each row execute function config_versions_questions();

update events e set sensitive_questions = questions_of(v.document, '{"sensitive": true}'),
  file_questions = questions_of(v.document, '{"responseType": "file"}')
from config_versions v where v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version;

-- A record is read with others' rows, and changes with them. What this transaction has stamped already need not be stamped again: nobody
-- saw it in between.
create function stamped_here(xmin xid) returns boolean language sql volatile as $$ select xmin = pg_current_xact_id()::xid $$;

create function orders_touch_people() returns trigger language plpgsql as $$
begin
  update participants p set revision = p.revision
  where p.tenant_id = coalesce(new.tenant_id, old.tenant_id) and p.event_id = coalesce(new.event_id, old.event_id)
    and p.id in (old.participant_id, new.participant_id) and not stamped_here(p.xmin);
  return null;
end $$;
create trigger orders_owned after insert or delete on orders for each row execute function orders_touch_people();
create trigger orders_passed_on after update of participant_id on orders for each row
when (old.participant_id is distinct from new.participant_id) execute function orders_touch_people();

create function touch_order() returns trigger language plpgsql as $$
begin
  update orders o set revision = o.revision
  where o.tenant_id = new.tenant_id and o.event_id = new.event_id and o.id = new.order_id and not stamped_here(o.xmin);
  return null;
end $$;
-- An invoice of nothing has no entry in the ledger, which would have stamped its order.
create trigger invoices_of_order after insert on invoices for each row execute function touch_order();
create trigger payments_of_order after insert on payments for each row execute function touch_order();
create trigger order_lines_passed_on after update of participant_id on order_lines for each row
when (old.participant_id is distinct from new.participant_id) execute function touch_order();

-- Who is in a group is a part of it.
drop trigger managed_groups_touch on managed_groups;
create trigger managed_groups_touch before update on managed_groups for each row execute function lanyard_touch();
create function touch_group() returns trigger language plpgsql as $$
begin
  update managed_groups g set revision = g.revision
  where g.tenant_id = new.tenant_id and g.event_id = new.event_id and g.id = new.group_id and not stamped_here(g.xmin);
  return null;
end $$;
create trigger participants_lead after update of group_leader on participants for each row
when (old.group_leader <> new.group_leader and new.group_id is not null) execute function touch_group();

-- What exhibitors see of somebody, and whose room it is.
create function participants_touch_others() returns trigger language plpgsql as $$
begin
  update leads l set revision = l.revision
  where l.tenant_id = new.tenant_id and l.event_id = new.event_id and l.participant_id = new.id and not stamped_here(l.xmin);
  if old.group_id is distinct from new.group_id then
    update reservations r set revision = r.revision
    where r.tenant_id = new.tenant_id and r.event_id = new.event_id and r.participant_id = new.id and not stamped_here(r.xmin);
  end if;
  return null;
end $$;
create trigger participants_shown_elsewhere
after update of first_name, last_name, email, job_title, company, bio, headshot, website, work_phone, mobile_phone, avatar_choice,
  ai_avatar_file_id, badge_id, sharing, custom_field_responses, group_id on participants for each row
when ((old.first_name, old.last_name, old.email, old.job_title, old.company, old.bio, old.headshot, old.website, old.work_phone,
    old.mobile_phone, old.avatar_choice, old.ai_avatar_file_id, old.badge_id, old.sharing, old.custom_field_responses, old.group_id)
  is distinct from (new.first_name, new.last_name, new.email, new.job_title, new.company, new.bio, new.headshot, new.website, new.work_phone,
    new.mobile_phone, new.avatar_choice, new.ai_avatar_file_id, new.badge_id, new.sharing, new.custom_field_responses, new.group_id))
execute function participants_touch_others();

create function event_hotels_touch_stays() returns trigger language plpgsql as $$
begin
  update reservations r set revision = r.revision
  where r.tenant_id = new.tenant_id and r.event_id = new.event_id and r.hotel_id = new.id and not stamped_here(r.xmin);
  return null;
end $$;
create trigger event_hotels_renamed after update of name on event_hotels for each row
when (old.name <> new.name) execute function event_hotels_touch_stays();

create function touch_company() returns trigger language plpgsql as $$
begin
  update companies c set revision = c.revision
  where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.id = new.company_id and not stamped_here(c.xmin);
  return null;
end $$;
create trigger booth_assignments_shown after insert or update of until, company_id on booth_assignments for each row execute function touch_company();

create function booths_touch_companies() returns trigger language plpgsql as $$
begin
  update companies c set revision = c.revision
  from booth_assignments a join booths b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = a.booth_id
  where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.id = a.company_id and not stamped_here(c.xmin)
    and a.tenant_id = new.tenant_id and a.event_id = new.event_id and a.until is null and new.id in (b.id, b.floor_plan_id);
  return null;
end $$;
create trigger booths_renumbered after update of number, floor_plan_id on booths for each row
when (old.number <> new.number or old.floor_plan_id <> new.floor_plan_id) execute function booths_touch_companies();
create trigger floor_plans_recoded after update of code on floor_plans for each row
when (old.code <> new.code) execute function booths_touch_companies();

create function touch_session() returns trigger language plpgsql as $$
begin
  update sessions s set revision = s.revision
  where s.tenant_id = coalesce(new.tenant_id, old.tenant_id) and s.event_id = coalesce(new.event_id, old.event_id)
    and s.id = coalesce(new.session_id, old.session_id) and not stamped_here(s.xmin);
  return null;
end $$;
create trigger session_speakers_shown after insert or delete or update of role, position on session_speakers
for each row execute function touch_session();
create trigger session_enrolments_shown after insert or delete or update of status on session_enrolments
for each row execute function touch_session();

create function speakers_touch_sessions() returns trigger language plpgsql as $$
begin
  update sessions s set revision = s.revision from session_speakers p
  where s.tenant_id = new.tenant_id and s.event_id = new.event_id and s.id = p.session_id and not stamped_here(s.xmin)
    and p.tenant_id = new.tenant_id and p.event_id = new.event_id and p.speaker_id = new.id;
  return null;
end $$;
create trigger speakers_renamed after update of first_name, last_name on speakers for each row
when ((old.first_name, old.last_name) is distinct from (new.first_name, new.last_name)) execute function speakers_touch_sessions();

-- Read in the order in which they changed, event by event.
create index participants_changed on participants (tenant_id, event_id, updated_at, id);
create index orders_changed on orders (tenant_id, event_id, updated_at, id);
create index companies_changed on companies (tenant_id, event_id, updated_at, id);
create index leads_changed_at_event on leads (tenant_id, event_id, updated_at, id);
create index managed_groups_changed on managed_groups (tenant_id, event_id, updated_at, id);
create index sessions_changed on sessions (tenant_id, event_id, updated_at, id);
create index reservations_changed on reservations (tenant_id, event_id, updated_at, id);

-- What was there and is not any more, so that whoever has a copy learns of it.
create table deletions (
  tenant_id integer not null,
  event_id text collate "C" not null,
  entity text collate "C" not null,
  id text collate "C" not null,
  is_test_data boolean not null,
  deleted_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, event_id, entity, id),
  foreign key (tenant_id, event_id) references events
);
create index deletions_changed on deletions (tenant_id, event_id, updated_at, id);
create index deletions_oldest on deletions (deleted_at);

-- Its argument is the entity. A tenant that is removed as a whole tells nobody.
create function lanyard_gone() returns trigger language plpgsql as $$
declare
  at timestamptz := greatest(lanyard_now(), old.updated_at + interval '1 millisecond');
begin
  if current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return null; end if;
  insert into deletions (tenant_id, event_id, entity, id, is_test_data, deleted_at, updated_at)
  values (old.tenant_id, old.event_id, tg_argv[0], old.id, coalesce((to_jsonb(old) ->> 'is_test_data')::boolean, false), at, at)
  on conflict (tenant_id, event_id, entity, id) do nothing;
  return null;
end $$;
create function lanyard_back() returns trigger language plpgsql as $$
begin
  delete from deletions d where d.tenant_id = new.tenant_id and d.event_id = new.event_id and d.entity = tg_argv[0] and d.id = new.id;
  return null;
end $$;

create trigger participants_gone after delete on participants for each row execute function lanyard_gone('participant');
create trigger orders_gone after delete on orders for each row execute function lanyard_gone('order');
create trigger companies_gone after delete on companies for each row execute function lanyard_gone('company');
create trigger reservations_gone after delete on reservations for each row execute function lanyard_gone('reservation');
create trigger sessions_gone after delete on sessions for each row execute function lanyard_gone('session');
create trigger leads_gone after delete on leads for each row execute function lanyard_gone('lead');
create trigger leads_hidden after update of status on leads for each row
when (old.status = 'active' and new.status = 'deleted') execute function lanyard_gone('lead');
create trigger leads_back after update of status on leads for each row
when (old.status = 'deleted' and new.status = 'active') execute function lanyard_back('lead');
create trigger managed_groups_gone after delete on managed_groups for each row execute function lanyard_gone('group');
create trigger managed_groups_hidden after update of deleted_at on managed_groups for each row
when (old.deleted_at is null and new.deleted_at is not null) execute function lanyard_gone('group');
