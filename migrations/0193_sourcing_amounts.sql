-- The amounts of responses and contracts that lists show, stored so that reports can read them. They are null in rows of earlier versions.
alter table rfp_responses
  -- The total cost less concessions, in minor units of the response's currency.
  add column total bigint;
alter table contract_versions
  -- The amount that the client owes in any case, in minor units of the response's currency.
  add column committed bigint;

create or replace function refuse_response_change() returns trigger language plpgsql as $$
begin
  if new.content is distinct from old.content or new.submitted_at is distinct from old.submitted_at
    or (new.recipient_id, new.date_option, new.round, new.source) is distinct from (old.recipient_id, old.date_option, old.round, old.source)
    or old.total is not null and new.total is distinct from old.total
  then raise exception 'a submitted response never changes' using errcode = 'check_violation'; end if;
  return new;
end $$;

create or replace function lanyard_prepare_reports() returns void language plpgsql as $$
begin
  perform lanyard_prepare_report_tables();
  perform lanyard_show_to_reports('contract_versions');
  grant execute on function lanyard_came_before(), lanyard_contact_history(text, text) to lanyard_reports;
end $$;

-- Where the role could not be created, an administrator creates it and prepares it as before.
do $$
begin
  if exists (select from pg_roles where rolname = 'lanyard_reports' and pg_has_role(current_user, oid, 'member')) then
    perform lanyard_show_to_reports('rfp_responses');
    perform lanyard_show_to_reports('contract_versions');
  end if;
exception
  when insufficient_privilege then raise notice 'The role of reports could not be set up; lanyard doctor prints the statements';
end $$;
