-- The seller as printed on an invoice or credit note: name, address and tax number on the day of issue. An issued document must not change
-- when the client moves or gets another tax number. Null on documents issued before this migration, which print the current data.
alter table invoices add column seller jsonb;

create function invoice_seller() returns trigger language plpgsql as $$
begin
  if new.seller is not null then return new; end if;
  select jsonb_build_object(
      'name', coalesce(c.billing ->> 'legalName', c.name),
      'address', c.billing ->> 'address',
      'taxNumber', (
        select r.value ->> 'number'
        from jsonb_array_elements(c.tax_registrations) with ordinality r (value, position)
        where r.value ->> 'from' <= d.day and coalesce(r.value ->> 'until', d.day) >= d.day
        -- The number of the country in which the client is established, otherwise the first one.
        order by (r.value ->> 'country' is not distinct from c.established_in) desc, r.position
        limit 1))
  into new.seller
  from events e
  join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
  cross join lateral (select to_char(new.issued_at at time zone e.timezone, 'YYYY-MM-DD') as day) d
  where e.tenant_id = new.tenant_id and e.id = new.event_id;
  return new;
end $$;

create trigger invoices_seller before insert on invoices for each row execute function invoice_seller();
