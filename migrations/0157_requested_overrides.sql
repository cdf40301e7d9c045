-- An override takes two people. If no attestation was reviewed, one person requests it, and another one grants it. A request has no grantor yet.
alter table hotel_pci_overrides
  add column requested_by text collate "C",
  add column requested_by_name text,
  alter column granted_by drop not null,
  alter column granted_by_name drop not null,
  alter column granted_at drop not null,
  alter column granted_at drop default,
  add constraint hotel_pci_overrides_people check (granted_by is not null or requested_by is not null),
  add constraint hotel_pci_overrides_second_person check (granted_by is null or requested_by is null or granted_by <> requested_by),
  add constraint hotel_pci_overrides_grant check ((granted_by is null) = (granted_by_name is null) and (granted_by is null) = (granted_at is null)),
  add constraint hotel_pci_overrides_request check ((requested_by is null) = (requested_by_name is null));
drop index hotel_pci_overrides_live;
-- While an override is in force, another one with a later day can be requested.
create unique index hotel_pci_overrides_granted on hotel_pci_overrides (tenant_id, event_id, hotel_id) where revoked_at is null and granted_by is not null;
create unique index hotel_pci_overrides_requested on hotel_pci_overrides (tenant_id, event_id, hotel_id) where revoked_at is null and granted_by is null;
