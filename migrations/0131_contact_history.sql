-- Row policies hide other events from reports of one event. These functions answer what such a report may still say about the history of
-- its own participants: whether a person came before, and numbers over all events of the client. They never return a row of another event.

-- The participants, of the event of the snapshot or of the tenant, whose contact was complete at an earlier event of the client.
create function lanyard_came_before() returns setof text language sql stable security definer as $$
  select p.id from participants p join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
  where p.tenant_id = current_setting('lanyard.report_tenant')::integer and current_setting('lanyard.report_event') in ('', p.event_id)
    and p.contact_id is not null and exists (
      select from participants b join events f on f.tenant_id = b.tenant_id and f.id = b.event_id
      where b.tenant_id = p.tenant_id and b.contact_id = p.contact_id and b.event_id <> p.event_id and b.status = 'complete' and not b.is_test_data
        and f.client_id = e.client_id and f.starts_on < e.starts_on)
$$;

-- Figures over the real registrations of a contact at all events. In a snapshot of one event, only for contacts that are registered there.
create function lanyard_contact_history(contact text, of_currency text, out events integer, out attended integer, out first_on date, out last_on date,
  out spend bigint) language sql stable strict security definer as $$
  select (count(distinct p.event_id) filter (where p.status = 'complete'))::integer,
    (count(distinct p.event_id) filter (where p.status = 'complete' and a.checked_in_at is not null))::integer,
    min(e.starts_on) filter (where p.status = 'complete'), max(e.starts_on) filter (where p.status = 'complete'),
    coalesce(sum(o.total) filter (where o.currency = of_currency), 0)::bigint
  from participants p join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
  left join attendance_people a on a.tenant_id = p.tenant_id and a.event_id = p.event_id and a.participant_id = p.id
  left join orders o on o.tenant_id = p.tenant_id and o.event_id = p.event_id and o.participant_id = p.id
  where p.tenant_id = current_setting('lanyard.report_tenant')::integer and p.contact_id = contact and not p.is_test_data
    and (current_setting('lanyard.report_event') = '' or exists (
      select from participants h where h.tenant_id = p.tenant_id and h.event_id = current_setting('lanyard.report_event') and h.contact_id = contact))
$$;

-- They run with the rights of their owner, so their tables are those of this schema alone, and only reports may call them.
do $$
begin
  execute format('alter function lanyard_came_before() set search_path = %I, pg_temp', current_schema());
  execute format('alter function lanyard_contact_history(text, text) set search_path = %I, pg_temp', current_schema());
end $$;
revoke execute on function lanyard_came_before(), lanyard_contact_history(text, text) from public;

alter function lanyard_prepare_reports() rename to lanyard_prepare_report_tables;
create function lanyard_prepare_reports() returns void language plpgsql as $$
begin
  perform lanyard_prepare_report_tables();
  grant execute on function lanyard_came_before(), lanyard_contact_history(text, text) to lanyard_reports;
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'lanyard_reports') then
    grant execute on function lanyard_came_before(), lanyard_contact_history(text, text) to lanyard_reports;
  end if;
end $$;
