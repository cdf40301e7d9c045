-- Devices that booth staff scan with. A company has as many at once as it has seats, whatever happens at the same time.

-- By its token a device is found before anybody knows whose it is.
create index lead_devices_of_token on lead_devices (token_hash);

-- Who activates a device is a company.
alter table audit_entries drop constraint audit_entries_actor_kind_check;
alter table audit_entries add constraint audit_entries_actor_kind_check
  check (actor_kind in ('organizer', 'apiAccount', 'participant', 'exhibitor', 'operator', 'job'));

-- What a licence is good for now: what was granted, or bought and not given back; where it waits for its invoice, none until that is paid.
-- So nobody has to remember to end a licence with its line.
create function licence_seats(licence lead_licences, must_be_paid boolean) returns integer language plpgsql stable as $$
begin
  if licence.status <> 'active' then return 0; end if;
  if licence.order_line_id is null then return licence.seats; end if;
  return coalesce((
    select greatest(0, least(licence.seats, o.quantity + coalesce((select sum(r.quantity) from order_lines r
      where r.tenant_id = o.tenant_id and r.event_id = o.event_id and r.reverses_line_id = o.id), 0)))
    from order_lines o left join invoices i on i.tenant_id = o.tenant_id and i.event_id = o.event_id and i.id = o.invoice_id
    where o.tenant_id = licence.tenant_id and o.event_id = licence.event_id and o.id = licence.order_line_id
      and (not must_be_paid or i.id is null or i.status = 'paid')), 0);
end $$;

create function device_seats(tenant integer, event text, company text, must_be_paid boolean) returns integer language plpgsql stable as $$
begin
  return (select coalesce(sum(licence_seats(l, must_be_paid)), 0) from lead_licences l
    join companies c on c.tenant_id = l.tenant_id and c.event_id = l.event_id and c.id = l.company_id and c.status <> 'cancelled'
    where l.tenant_id = tenant and l.event_id = event and l.company_id = company and l.status = 'active' and 'device' = any(l.grants));
end $$;

-- X5. Active devices are counted with all else that is scarce, under `licence:<company>:device`: the check there refuses one too many,
-- whoever writes the row.
create function lead_devices_count() returns trigger language plpgsql as $$
declare
  was text := case when tg_op <> 'INSERT' and old.status = 'active' then 'licence:' || old.company_id || ':device' end;
  is_now text := case when tg_op <> 'DELETE' and new.status = 'active' then 'licence:' || new.company_id || ':device' end;
begin
  if was is not distinct from is_now then return null; end if;
  if was is not null then
    perform inventory_free(old.tenant_id, old.event_id, jsonb_build_array(jsonb_build_object('key', was, 'quantity', 1)), false);
  end if;
  if is_now is not null then
    update inventory i set sold = i.sold + 1 where i.tenant_id = new.tenant_id and i.event_id = new.event_id and i.key = is_now;
    if not found then raise exception 'no inventory of %', is_now using errcode = 'LY002'; end if;
  end if;
  return null;
end $$;
create trigger lead_devices_counted after insert or delete or update of status, company_id on lead_devices
for each row execute function lead_devices_count();

-- Brings the seats of a company in line with its licences. Whoever holds the row of the counter does, one after another. Where there are fewer
-- seats than devices, those lose theirs that were silent longest.
create function lead_devices_fit(tenant integer, event text, company text, out seats integer, out used integer) language plpgsql as $$
declare
  counter text := 'licence:' || company || ':device';
begin
  insert into inventory (tenant_id, event_id, key, capacity) values (tenant, event, counter, 0) on conflict do nothing;
  perform from inventory i where i.tenant_id = tenant and i.event_id = event and i.key = counter for no key update;
  seats := device_seats(tenant, event, company, coalesce((
    select (coalesce(v.document, d.document) #>> '{exhibitorConfig,leadLicencesNeedPayment}')::boolean from events e
    left join config_versions v on v.tenant_id = e.tenant_id and v.event_id = e.id and v.number = e.published_version
    left join config_drafts d on d.tenant_id = e.tenant_id and d.event_id = e.id and e.published_version is null
    where e.tenant_id = tenant and e.id = event), false));
  update lead_devices d set status = 'revoked', revoked_at = lanyard_now()
  where d.tenant_id = tenant and d.event_id = event and d.id in (
    select x.id from lead_devices x where x.tenant_id = tenant and x.event_id = event and x.company_id = company and x.status = 'active'
    order by x.last_seen_at desc, x.activated_at desc, x.id desc offset seats);
  update inventory i set capacity = seats, overage = 0 where i.tenant_id = tenant and i.event_id = event and i.key = counter returning i.sold into used;
end $$;

-- A line may be given back and sold anew in one change, so all of this is looked at when the change is done.
create function lead_devices_refit() returns trigger language plpgsql as $$
declare
  companies text[];
begin
  if tg_table_name = 'order_lines' then
    companies := array(select distinct l.company_id from lead_licences l
      where l.tenant_id = new.tenant_id and l.event_id = new.event_id and l.order_line_id = new.reverses_line_id);
  else
    companies := array[case when tg_table_name = 'companies' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'company_id' end];
  end if;
  perform lead_devices_fit(new.tenant_id, new.event_id, c.id) from unnest(companies) as c(id)
  where exists (select from lead_devices d where d.tenant_id = new.tenant_id and d.event_id = new.event_id and d.company_id = c.id and d.status = 'active');
  return null;
end $$;
create constraint trigger order_lines_seats after insert on order_lines deferrable initially deferred for each row
when (new.reverses_line_id is not null) execute function lead_devices_refit();
create constraint trigger lead_licences_seats after update on lead_licences deferrable initially deferred for each row
when (old.status <> new.status) execute function lead_devices_refit();
create constraint trigger companies_seats after update on companies deferrable initially deferred for each row
when (old.status <> 'cancelled' and new.status = 'cancelled') execute function lead_devices_refit();
