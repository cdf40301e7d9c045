-- A call of the door as one statement: the decision of its scans and its audit entry. It returns no row, and stores nothing, if the call needs
-- several statements: the rules are not those of the present configuration, a webhook subscribes to the scans, or the call names a session or
-- participant that the event does not have.
create function door_call(tenant integer, event text, version text, rules jsonb, scans jsonb, entry jsonb)
returns table (scan_id text, result text, reason text, duplicate boolean, is_test boolean, shown jsonb, warnings text[], inside integer, capacity integer)
language plpgsql as $$
declare
  targets jsonb := '[]';
  scan jsonb;
  i integer := 0;
begin
  if not exists (select from events e
      left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
      left join config_drafts d on d.tenant_id = e.tenant_id and d.event_id = e.id and e.published_version is null
      where e.tenant_id = tenant and e.id = event
        and concat_ws(' ', coalesce(v.id, d.sha256), to_char(e.starts_on, 'YYYY-MM-DD'), e.timezone) = version)
    or exists (select from webhook_endpoints w join events e on e.tenant_id = w.tenant_id and e.id = event
      where w.tenant_id = tenant and w.status = 'active' and w.kinds && '{*,attendance.recorded}' and (w.event_code is null or w.event_code = e.code)) then
    return;
  end if;
  for scan in select s.scan from jsonb_array_elements(scans) as s (scan) loop
    if scan ? 'sessionId' and not exists (select from sessions s where s.tenant_id = tenant and s.event_id = event and s.id = scan->>'sessionId')
      or scan ? 'participantId' and not exists (select from participants p where p.tenant_id = tenant and p.event_id = event and p.id = scan->>'participantId') then
      return;
    end if;
  end loop;
  for scan_id, result, reason, duplicate, is_test, shown, warnings, inside, capacity in select d.* from door_scans(tenant, event, rules, scans) d loop
    scan := scans->i;
    i := i + 1;
    if not duplicate then
      targets := targets || jsonb_build_object('kind', 'attendance', 'id', scan_id, 'fields', jsonb_build_object(
          'participantId', jsonb_build_object('after', shown->'id'), 'scope', jsonb_build_object('after', scan->'scope'),
          'direction', jsonb_build_object('after', scan->'direction'), 'result', jsonb_build_object('after', result), 'reason', jsonb_build_object('after', reason))
        || case when scan ? 'gateCode' then jsonb_build_object('gateCode', jsonb_build_object('after', scan->'gateCode')) else '{}' end
        || case when scan ? 'sessionId' then jsonb_build_object('sessionId', jsonb_build_object('after', scan->'sessionId')) else '{}' end);
    end if;
    return next;
  end loop;
  if targets <> '[]' then
    insert into audit_entries (tenant_id, id, client_id, event_id, actor_kind, actor_id, actor_name, app_name, app_id, tool, targets)
    values (tenant, entry->>'id', entry->>'client_id', entry->>'event_id', entry->>'actor_kind', entry->>'actor_id', entry->>'actor_name',
      entry->>'app_name', entry->>'app_id', entry->>'tool', targets);
  end if;
end $$;
