-- Attestations of card security (PCI AOC) that hotels have shown to a client. A hotel of the catalog has one for all events of the client.
create table hotel_pci_records (
  tenant_id integer not null,
  client_id text collate "C" not null,
  id text collate "C" not null,
  -- The catalog's reference of the hotel, or hotel:<id> of an event hotel that is in no catalog.
  hotel_ref text collate "C" not null,
  document_type text not null check (document_type in ('AOC-ROC', 'AOC-SAQ')),
  saq text check (length(saq) between 1 and 40),
  dss_version text not null check (length(dss_version) between 1 and 20),
  entity_legal_name text not null check (length(entity_legal_name) between 1 and 200),
  property_covered boolean not null,
  result text not null check (result in ('compliant', 'nonCompliant', 'compliantWithException')),
  assessed_on date not null,
  signed_by text not null check (length(signed_by) between 1 and 200),
  assessor text check (length(assessor) between 1 and 200),
  file_id text collate "C" not null,
  created_at timestamptz not null default lanyard_now(),
  decision text check (decision in ('accepted', 'rejected')),
  decision_reason text check (length(decision_reason) between 1 and 1000),
  reviewed_by text collate "C",
  reviewed_by_name text,
  reviewed_at timestamptz,
  primary key (tenant_id, client_id, id),
  foreign key (tenant_id, client_id) references clients,
  foreign key (tenant_id, file_id) references files,
  constraint hotel_pci_records_review check ((decision is null) = (reviewed_by is null)),
  constraint hotel_pci_records_rejection check ((decision is not distinct from 'rejected') = (decision_reason is not null))
);
create index hotel_pci_records_of_hotel on hotel_pci_records (tenant_id, client_id, hotel_ref, created_at desc, id desc);

-- Lets cards go to a hotel without a valid attestation, at one event and until a day.
create table hotel_pci_overrides (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  hotel_id text collate "C" not null,
  reason text not null check (length(reason) between 20 and 1000),
  until date not null,
  granted_by text collate "C" not null,
  granted_by_name text not null,
  granted_at timestamptz not null default lanyard_now(),
  revoked_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);
create unique index hotel_pci_overrides_live on hotel_pci_overrides (tenant_id, event_id, hotel_id) where revoked_at is null;
