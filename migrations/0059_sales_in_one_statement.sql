-- Writes a sale in one statement: capacity, order, invoice, lines and ledger entry. Counters that all buyers wait for (inventory and number
-- series) are locked here and not before, so that they are held only until the commit that follows.
--
-- `sale` has these members:
--   take     the capacity to take: { holder, entry, units: [{ key, quantity }], beyondCapacity }; left out if it was taken before
--   order    { id } of a locked order, or the order to open: { newId, participantId | groupId | companyId, isFirst, isTestData, currency, billTo,
--            discountCode }; an order of the same owner is used if there is one, and isFirst says that there is none
--   invoice  { id, year, issuedAt, dueOn, net, tax, total }; left out if there is nothing to pay
--   lines    the order lines, by column, numbered from 1 by `n`
--   by       the actor's id
--
-- Returns { full: key } and changes nothing if the capacity is not there. Else it returns the order, whether it was opened here, the number of
-- the invoice, and the credit that the order had before.
create function sale_record(tenant integer, event text, sale jsonb) returns jsonb language plpgsql as $$
declare
  asked jsonb := sale -> 'order';
  taken jsonb := sale -> 'take';
  billed jsonb := sale -> 'invoice';
  full_key text;
  o orders;
  opened boolean := false;
  origin text;
  credit bigint;
  last_position integer := 0;
  invoice_number text;
begin
  if taken is not null then
    full_key := inventory_take(tenant, event, taken ->> 'holder', taken ->> 'entry', taken -> 'units', true,
      (taken ->> 'beyondCapacity')::boolean, null);
    if full_key is not null then return jsonb_build_object('full', full_key); end if;
  end if;

  if asked ? 'id' then
    select * into strict o from orders r where r.tenant_id = tenant and r.event_id = event and r.id = asked ->> 'id';
  elsif not (asked ->> 'isFirst')::boolean then
    if asked ? 'participantId' then
      select * into o from orders r where r.tenant_id = tenant and r.event_id = event and r.participant_id = asked ->> 'participantId' for no key update;
    elsif asked ? 'groupId' then
      select * into o from orders r where r.tenant_id = tenant and r.event_id = event and r.group_id = asked ->> 'groupId' for no key update;
    else
      select * into o from orders r where r.tenant_id = tenant and r.event_id = event and r.company_id = asked ->> 'companyId' for no key update;
    end if;
  end if;
  if o.id is null then
    opened := true;
    origin := case when (asked ->> 'isTestData')::boolean then 'T-' else '' end;
    insert into orders (tenant_id, event_id, id, number, participant_id, group_id, company_id, is_test_data, currency, bill_to, discount_code)
    values (tenant, event, asked ->> 'newId', number_take(tenant, event, origin || 'R', origin || 'R-'), asked ->> 'participantId',
      asked ->> 'groupId', asked ->> 'companyId', (asked ->> 'isTestData')::boolean, asked ->> 'currency', asked -> 'billTo',
      asked ->> 'discountCode')
    returning * into o;
  else
    select coalesce(max(l.position), 0) into last_position from order_lines l
    where l.tenant_id = tenant and l.event_id = event and l.order_id = o.id;
  end if;
  credit := -o.unapplied;

  if billed is not null then
    origin := case when o.is_test_data then 'T-' when o.number like 'IMP-%' then 'IMP-' else '' end;
    insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, issued_at, due_on, bill_to, net, tax, total)
    values (tenant, event, billed ->> 'id', number_take(tenant, event, origin || 'INV', origin || 'INV-' || (billed ->> 'year') || '-'), 'invoice',
      o.id, o.is_test_data, (billed ->> 'issuedAt')::timestamptz, (billed ->> 'dueOn')::date, o.bill_to, (billed ->> 'net')::bigint,
      (billed ->> 'tax')::bigint, (billed ->> 'total')::bigint)
    returning number into invoice_number;
  end if;

  insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
    list_amount, discount, net, tax, total, tax_code, tax_rate, tax_inclusive, tax_components, tax_note, participant_id, reservation_id, priced_at,
    invoice_id)
  select tenant, event, l.id, o.id, last_position + l.n, o.is_test_data, l.kind, l.product_code, l.description, l.quantity, l.unit_price,
    l.list_amount, l.discount, l.net, l.tax, l.total, l.tax_code, l.tax_rate, l.tax_inclusive, l.tax_components, l.tax_note, l.participant_id,
    l.reservation_id, l.priced_at, billed ->> 'id'
  from jsonb_to_recordset(sale -> 'lines') as l (n integer, id text, kind text, product_code text, description text, quantity integer,
    unit_price bigint, list_amount bigint, discount bigint, net bigint, tax bigint, total bigint, tax_code text, tax_rate numeric,
    tax_inclusive boolean, tax_components jsonb, tax_note text, participant_id text, reservation_id text, priced_at timestamptz);

  if billed is not null then
    insert into ledger_entries (tenant_id, event_id, order_id, is_test_data, invoice_id, kind, amount, source_id, by)
    values (tenant, event, o.id, o.is_test_data, billed ->> 'id', 'invoice', (billed ->> 'total')::bigint, billed ->> 'id', sale ->> 'by');
  end if;

  return (select jsonb_build_object('orderId', r.id, 'number', r.number, 'total', r.total, 'balance', r.balance, 'isTestData', r.is_test_data,
      'opened', opened, 'invoiceNumber', invoice_number, 'credit', credit)
    from orders r where r.tenant_id = tenant and r.event_id = event and r.id = o.id);
end $$;

-- Whether any webhook of the tenant is active. The statement that writes the audit entry asks, so that a change that has no listener needs no
-- query for them.
create function lanyard_has_listeners(tenant integer) returns boolean language sql stable as $$
  select exists (select from webhook_endpoints w where w.tenant_id = tenant and w.status = 'active') $$;
