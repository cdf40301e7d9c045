-- An order that is inserted together with its lines, its invoices and their ledger entries is inserted with its amounts. `counted` marks lines and
-- entries whose amounts their order and invoice contain from the start, so that no trigger adds them again. Until now a setting of the
-- transaction named one such order; a column also works for many orders in one statement, and if the tables are on several servers.
--
-- A sale with `commits` is sent together with the commit of its transaction. If its capacity is not there, it fails like a serialization
-- conflict, so that the transaction is rolled back and retried from the start. The other members of `sale` are described in migration 0059.
alter table order_lines add column counted boolean not null default false;
alter table ledger_entries add column counted boolean not null default false;

create or replace function sale_record(tenant integer, event text, sale jsonb) returns jsonb language plpgsql as $$
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
  amount bigint := coalesce((billed ->> 'total')::bigint, 0);
begin
  if taken is not null then
    full_key := inventory_take(tenant, event, taken ->> 'holder', taken ->> 'entry', taken -> 'units', true,
      (taken ->> 'beyondCapacity')::boolean, null);
    if full_key is not null and coalesce((sale ->> 'commits')::boolean, false) then
      raise exception 'the last units of % were sold', full_key using errcode = 'serialization_failure';
    end if;
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
    insert into orders (tenant_id, event_id, id, number, participant_id, group_id, company_id, is_test_data, currency, bill_to, discount_code,
      total, units, credited, balance)
    select tenant, event, asked ->> 'newId', number_take(tenant, event, origin || 'R', origin || 'R-'), asked ->> 'participantId',
      asked ->> 'groupId', asked ->> 'companyId', (asked ->> 'isTestData')::boolean, asked ->> 'currency', asked -> 'billTo',
      asked ->> 'discountCode', coalesce(sum(l.total), 0), coalesce(sum(l.quantity) filter (where l.product_code is not null), 0),
      coalesce(bool_or(l.kind = 'credit'), false), amount
    from jsonb_to_recordset(sale -> 'lines') as l (kind text, product_code text, quantity integer, total bigint)
    returning * into o;
  else
    select coalesce(max(l.position), 0) into last_position from order_lines l
    where l.tenant_id = tenant and l.event_id = event and l.order_id = o.id;
  end if;
  credit := -o.unapplied;

  if billed is not null then
    origin := case when o.is_test_data then 'T-' when o.number like 'IMP-%' then 'IMP-' else '' end;
    insert into invoices (tenant_id, event_id, id, number, kind, order_id, is_test_data, issued_at, due_on, bill_to, net, tax, total,
      balance, status)
    values (tenant, event, billed ->> 'id', number_take(tenant, event, origin || 'INV', origin || 'INV-' || (billed ->> 'year') || '-'), 'invoice',
      o.id, o.is_test_data, (billed ->> 'issuedAt')::timestamptz, (billed ->> 'dueOn')::date, o.bill_to, (billed ->> 'net')::bigint,
      (billed ->> 'tax')::bigint, amount, case when opened then amount else 0 end,
      case when opened and amount > 0 then 'open' else 'paid' end)
    returning number into invoice_number;
  end if;

  insert into order_lines (tenant_id, event_id, id, order_id, position, is_test_data, kind, product_code, description, quantity, unit_price,
    list_amount, discount, net, tax, total, tax_code, tax_rate, tax_inclusive, tax_components, tax_note, participant_id, reservation_id, priced_at,
    invoice_id, counted)
  select tenant, event, l.id, o.id, last_position + l.n, o.is_test_data, l.kind, l.product_code, l.description, l.quantity, l.unit_price,
    l.list_amount, l.discount, l.net, l.tax, l.total, l.tax_code, l.tax_rate, l.tax_inclusive, l.tax_components, l.tax_note, l.participant_id,
    l.reservation_id, l.priced_at, billed ->> 'id', opened
  from jsonb_to_recordset(sale -> 'lines') as l (n integer, id text, kind text, product_code text, description text, quantity integer,
    unit_price bigint, list_amount bigint, discount bigint, net bigint, tax bigint, total bigint, tax_code text, tax_rate numeric,
    tax_inclusive boolean, tax_components jsonb, tax_note text, participant_id text, reservation_id text, priced_at timestamptz);

  if billed is not null then
    insert into ledger_entries (tenant_id, event_id, order_id, is_test_data, invoice_id, kind, amount, source_id, by, counted)
    values (tenant, event, o.id, o.is_test_data, billed ->> 'id', 'invoice', amount, billed ->> 'id', sale ->> 'by', opened);
  end if;
  if not opened then
    select * into o from orders r where r.tenant_id = tenant and r.event_id = event and r.id = o.id;
  end if;
  return jsonb_build_object('orderId', o.id, 'number', o.number, 'total', o.total, 'balance', o.balance, 'isTestData', o.is_test_data,
    'opened', opened, 'invoiceNumber', invoice_number, 'credit', credit);
end $$;

create or replace function order_lines_count() returns trigger language plpgsql as $$
begin
  update orders set total = total + new.total, units = units + case when new.product_code is null then 0 else new.quantity end,
    credited = credited or new.kind = 'credit'
  where tenant_id = new.tenant_id and event_id = new.event_id and id = new.order_id;
  return null;
end $$;

create or replace function ledger_entries_count() returns trigger language plpgsql as $$
begin
  update invoices i set
    balance = i.balance + new.amount,
    paid = i.paid - case when new.kind in ('payment', 'payment_reversal', 'transfer') then new.amount else 0 end,
    credited = i.credited - case when new.kind = 'credit_note' then new.amount else 0 end,
    written_off = i.written_off - case when new.kind in ('write_off', 'write_off_reversal') then new.amount else 0 end,
    status = case
      when i.balance + new.amount > 0 then 'open'
      when i.credited - case when new.kind = 'credit_note' then new.amount else 0 end = i.total then 'void'
      when new.kind = 'write_off' then 'written_off'
      else 'paid' end
  where i.tenant_id = new.tenant_id and i.event_id = new.event_id and i.id = new.invoice_id;
  update orders set
    balance = balance + new.amount,
    unapplied = unapplied + case when new.invoice_id is null then new.amount else 0 end,
    paid = paid - case when new.kind in ('payment', 'payment_reversal', 'refund') then new.amount else 0 end
  where tenant_id = new.tenant_id and event_id = new.event_id and id = new.order_id;
  return null;
end $$;

drop trigger order_lines_counted on order_lines;
create trigger order_lines_counted after insert on order_lines for each row when (not new.counted) execute function order_lines_count();
drop trigger ledger_entries_counted on ledger_entries;
create trigger ledger_entries_counted after insert on ledger_entries for each row when (not new.counted) execute function ledger_entries_count();
