-- Cards: which one a charge is of, the call to the processor that makes it, and what processors told by themselves.

alter table saved_cards add constraint saved_cards_twin unique (tenant_id, event_id, id, is_test_data);

alter table charges
  add column card_id text collate "C",
  add column call_id text collate "C",
  -- A sentence for whoever has to look at it: the processor took another amount, or another currency.
  add column flag text,
  add constraint charges_card foreign key (tenant_id, event_id, card_id, is_test_data) references saved_cards (tenant_id, event_id, id, is_test_data),
  add constraint charges_call foreign key (tenant_id, call_id) references outside_calls;
-- A processor names a charge by its id alone.
create index charges_named on charges (id);
create index charges_of_entry on charges (tenant_id, event_id, entry_id) where entry_id is not null;

-- Money that goes back to a card has left the books before the processor has answered; its reference comes later, once.
alter table refunds
  add column call_id text collate "C",
  add constraint refunds_call foreign key (tenant_id, call_id) references outside_calls;
create index refunds_named on refunds (id) where call_id is not null;
drop trigger refunds_kept on refunds;
create trigger refunds_kept before delete on refunds for each row execute function lanyard_written_once();
create trigger refunds_changed before update on refunds for each row when (old.provider_ref is null)
execute function lanyard_written_once('provider_ref');
create trigger refunds_settled before update on refunds for each row when (old.provider_ref is not null)
execute function lanyard_written_once();

-- Each is heard once, in the transaction of what it causes.
create table card_notices (
  tenant_id integer not null references tenants,
  provider text not null,
  notice text collate "C" not null,
  type text not null,
  heard_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, provider, notice)
);
