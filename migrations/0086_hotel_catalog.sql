-- Reference data about hotels, imported by the operator and shared by all tenants.
create table catalog_hotels (
  ref text collate "C" primary key check (length(ref) between 3 and 200),
  format text not null check (format in ('csv', 'geojson', 'osm')),
  name text not null,
  street text,
  postal_code text,
  city text,
  region text,
  country text collate "C",
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  -- The square of a tenth of a degree that contains the hotel, numbered from west to east and then from south to north.
  cell integer generated always as (
    least(floor((latitude + 90) * 10), 1799)::integer * 3600 + least(floor((longitude + 180) * 10), 3599)::integer) stored,
  stars double precision check (stars between 0 and 5),
  rooms integer check (rooms >= 0),
  brand text,
  phone text,
  website text,
  attribution text,
  imported_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(name, brand, city, street)) stored,
  constraint catalog_hotels_place check ((latitude is null) = (longitude is null))
);
create index catalog_hotels_searched on catalog_hotels using gin (searched gin_trgm_ops);
create index catalog_hotels_cell on catalog_hotels (cell);

-- The last answer of the configured provider about a hotel. Shown while the provider does not respond.
create table provider_hotels (
  ref text collate "C" primary key check (length(ref) between 3 and 200),
  facts jsonb not null,
  fetched_at timestamptz not null default lanyard_now()
);
create index provider_hotels_fetched on provider_hotels (fetched_at);

-- A hotel of the catalog is at most once at an event.
create unique index event_hotels_of_catalog on event_hotels (tenant_id, event_id, catalog_ref) where catalog_ref is not null and not retired;
create index event_hotels_near on event_hotels (tenant_id, latitude) where latitude is not null;
