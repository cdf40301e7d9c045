-- Attestations of a hotel without a catalog entry are stored under the reference that find_hotel gives such a hotel, so that a hotel that is added to
-- another event with this reference has the same attestations.
update hotel_pci_records set hotel_ref = 'own:' || substr(hotel_ref, 7) where hotel_ref like 'hotel:%';
