-- Paying in the browser: the processor's own page for a charge, cards that are kept with consent, and money that the processor takes back.

alter table charges
  -- The processor's name of its page, and where that is.
  add column checkout_ref text collate "C",
  add column checkout_url text,
  add column return_url text,
  add column cancel_url text,
  -- What the page shows: name and amount of each line.
  add column lines jsonb not null default '[]',
  -- The words under which the card may be kept. Null: it is not.
  add column consent text,
  -- When what is paid for is held no longer. Nobody may pay after that.
  add column ends_at timestamptz,
  -- Why nobody is to pay any more; the processor has to confirm it.
  add column ending text check (ending in ('cancelled', 'expired'));

create index charges_flagged on charges (tenant_id, created_at) where flag is not null;

-- A second attempt reuses the first while that is open: nobody pays twice for one thing.
create unique index charges_open_of_order on charges (tenant_id, event_id, order_id) where order_id is not null and status in ('pending', 'unknown');
create unique index charges_open_of_person on charges (tenant_id, event_id, participant_id) where entry_id is null and status in ('pending', 'unknown');

-- Whatever somebody comes to hold while their money is on its way is kept as long as that.
create function holds_keep_while_charging() returns trigger language plpgsql as $$
begin
  new.charging := new.charging or exists (
    select from charges c where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.participant_id = new.participant_id
      and c.entry_id is null and c.status in ('pending', 'unknown'));
  return new;
end $$;
create trigger holds_charging before insert on holds for each row when (new.entry_id is null) execute function holds_keep_while_charging();

alter table saved_cards add column consent text;

-- Somebody leaves a card for later: on the processor's page, with their consent in the words they saw.
create table card_setups (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  consent text not null,
  provider text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  failure_code text,
  checkout_ref text collate "C",
  checkout_url text,
  return_url text not null,
  cancel_url text not null,
  card_id text collate "C",
  call_id text collate "C" not null,
  created_at timestamptz not null default lanyard_now(),
  settled_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, card_id, is_test_data) references saved_cards (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, call_id) references outside_calls
);
-- A processor names one by its id alone.
create index card_setups_named on card_setups (id);
create unique index card_setups_open on card_setups (tenant_id, event_id, participant_id) where status = 'pending';

-- What a processor took back by itself, as a dispute or a refund made in its own console, under its own name: once each.
alter table payment_reversals add column provider text, add column provider_ref text collate "C";
create unique index payment_reversals_of_provider on payment_reversals (tenant_id, provider, provider_ref) where provider_ref is not null;
create index payments_named on payments (provider, provider_ref) where provider_ref is not null;
