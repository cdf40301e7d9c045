-- The order of a group had the discount code of the member who bought first, and all members got that discount. Codes belong to participants.
update orders set discount_code = null where participant_id is null and discount_code is not null;
