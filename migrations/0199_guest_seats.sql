-- Whether a guest took a seat of the event and the flow: the flow's setting countsTowardCapacity when the guest was registered. A later change of
-- the setting does not change what was taken. Null for other participants, for guests of earlier versions, and for guests whom an older server
-- registers during an update: their seats follow the current setting, because seats that were moved or returned since cannot be told apart.
alter table participants add column counts_toward_capacity boolean;
