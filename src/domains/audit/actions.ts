/**
 * Sentences for every audited action, in the past tense, to follow the actor's name. `{kind}` inserts a record; `{kind?field=value}`
 * selects one of several records by a field value; `{=field}` inserts a value; a part in `[ ]` is shown only if its value is known;
 * `{edit}` describes a draft edit. Keep entries of actions that no longer exist, because old log entries still use them.
 */
const AUDIT_ACTIONS = {
  events: {
    create_event: 'created {event}',
    clone_event: 'created {event} as a copy of another event',
    update_event: 'changed {event}',
    archive_event: 'archived {event}',
    configure_event: '{edit} in the draft of {event}',
    config_set: '{edit} in the draft of {event}',
    copy_event_config: 'copied parts of another event into the draft of {event}',
    configure_registration_guests: 'changed the guest settings of {event}',
    import_products: 'imported products into the draft of {event}',
    apply_tax_recommendations: 'applied recommended taxes to the draft of {event}',
    publish_event: 'published {event}[ as version {=publishedVersion}]',
    reset_to_version: 'restored an earlier version into the draft of {event}',
    rehearse_flow: 'rehearsed[ the flow {=flowSlug} of] {event}',
    create_test_registrations: 'created or cleared test registrations at {event}',
    start_tax_assessment: 'started a tax assessment of {event}',
  },
  registrations: {
    add_participant: 'registered {participant}',
    edit_participant: 'changed the registration of {participant}',
    substitute_participant: 'transferred the registration of {participant?status=cancelled} to {participant?substitutes}',
    resend_participant_confirmation: 'resent the confirmation to {participant}',
    add_invite_list_participants: 'added[ {=added}] people to an invite list of {event}',
    promote_waitlist_entries: 'processed the waiting list of {event}',
    agent_submit_registration: 'registered {participant}',
    update_my_registration: 'changed the registration of {participant}',
    resend_my_confirmation_email: 'requested the confirmation of {participant} again',
    generate_participant_profile: 'generated the profile of {participant}',
    book_exhibitor_appointment: 'booked {appointment}',
    cancel_my_appointment: 'cancelled {appointment}',
    activate_lead_device: 'activated {leadDevice}[ named {=name}]',
    'begin registration': 'started the registration of {participant}',
    'open registration link': 'opened the registration link of {participant}',
    'answer registration page': 'answered a page of the registration of {participant}',
    'hold places longer': 'extended the hold of {participant}',
    'finish registration': 'completed the registration of {participant}',
    change_own_registration: 'changed the registration of {participant}',
    cancel_own_registration: 'cancelled the registration of {participant}',
    set_own_sharing: 'changed what {participant} shares',
    request_sign_in_code: 'requested a sign-in code for {event}',
    sign_in: 'signed in to {event}',
    agent_request_otp: 'requested a sign-in code for {event}',
    agent_verify_otp: 'signed in to {event}',
    send_email: 'recorded that an email to {participant} bounced',
    'test-registrations': 'created test registrations at {event}',
    'flow-rehearsal': 'rehearsed {event}',
    scan: 'scanned a badge at {event}',
    holds: 'released expired holds at {event}',
    confirmations: 'sent a confirmation email again at {event}',
    recommendations: 'updated the profiles of {event}',
  },
  groups: {
    create_managed_group: 'created {group}',
    update_managed_group: 'changed {group}',
    update_managed_group_members: 'changed the members of a group: {participant}',
    update_managed_group_leaders: 'changed the leaders of a group: {participant}',
    set_managed_group_admins: 'changed the administrators of {group}',
    delete_managed_group: 'deleted {group}',
    send_group_invite: 'invited {groupInvite} to a group',
    invite_to_group: 'invited {groupInvite} to a group',
    revoke_group_invite: 'revoked an invitation to {group}',
    replace_group_join_code: 'replaced the join code of {group}',
    accept_group_invite: 'accepted an invitation to a group at {event}',
    decline_group_invite: 'declined an invitation to a group at {event}',
    add_group_member: 'added {participant} to a group',
    edit_group_member: 'changed the registration of {participant}, a member of a group',
    remove_group_member: 'removed {participant} from a group',
    import_group_members: 'added {participant} to a group',
  },
  exhibitors: {
<<<<<<< HEAD
<<<<<<< HEAD
    manage_booths: 'changed {booth}',
=======
    manage_company: 'changed {company}',
>>>>>>> 6952c4b2326923c59c8bdb136db627c281d31040
=======
    generate_max_fit: 'generated {floorPlanLayout}',
>>>>>>> 4dbcc2a28443c696f9a49c616f44608fb4c0efb0
    manage_device: 'changed {leadDevice}',
    manage_lead: 'changed {lead}',
  },
  money: {
    record_manual_payment: 'recorded {payment|refund}',
    write_off_invoices: 'wrote off or reinstated {invoice}',
    pay_own_invoices: 'started to pay invoices at {event}',
    'end payment': 'ended an open payment at {event}',
    leave_own_card: 'saved a card at {event}',
    'checkout.registration': 'settled the payment of the registration of {participant}',
    'checkout.invoices': 'settled {payment|charge}',
    retry_follow_up: 'finished the remaining steps of a paid registration at {event}',
    'payments.setup': 'saved {savedCard}',
    'payments.refund': 'settled {refund}',
    'payments.takenBack': 'recorded that {payment|charge} was charged back',
    'waitlist.charge': 'settled {payment|charge} for a waiting list offer at {event}',
    'tax-assessment': 'assessed the taxes of {event}',
    payments: 'checked the status of {charge}',
    'payments.compare': 'compared the payments of {event}',
    integrity: 'checked the accounts of {event}',
  },
  housing: {
    add_hotel_from_catalog: 'added {hotel}',
    accept_waitlist_offer: 'accepted an offer from the waiting list of {event}',
    decline_waitlist_offer: 'declined an offer from the waiting list of {event}',
    leave_waitlist: 'left a waiting list of {event}',
    join_waitlist_again: 'joined a waiting list of {event} again',
    accept_room_offer: 'accepted the offer of {reservation}',
    decline_room_offer: 'declined the offer of a room at {event}',
    settle_room_guarantees: 'settled the guarantee of {reservation}',
    guarantees: 'processed the room guarantees of {event}',
    secure_own_room: 'secured {reservation}',
    give_up_own_room: 'cancelled {reservation}',
    decide_room_share: 'decided a room sharing request at {event}',
    leave_room_waitlist: 'left the room waiting list of {event}',
    rooms: 'released expired room holds at {event}',
  },
  people: {
    invite_member: 'invited {invitation|member|eventStaff|user}[ as {=role}]',
    change_role: 'gave {member} the role {=role}',
    remove_member: 'removed {member} from {client}',
    assign_event_staff: 'gave {eventStaff}[ the role {=role}] at {event}',
    remove_event_staff: 'removed the role of {eventStaff} at {event}',
    remove_staff: 'removed the role of {eventStaff} at {event}',
    update_client: 'changed the settings of {client}',
    set_up: 'set up {client}',
  },
  programs: {
    create_api_account: 'created {apiAccount}',
    update_api_account: 'changed {apiAccount}',
    lift_otp_suspension: 'allowed {apiAccount} to send codes again',
    issue_api_token: 'issued a token of {apiToken}',
    revoke_api_token: 'revoked a token of {apiToken}',
    merge_contacts: 'merged {contact?mergedInto} into {contact?merged}',
    create_webhook: 'created {webhook}',
    update_webhook: 'changed {webhook}',
    delete_webhook: 'deleted {webhook}',
    test_webhook: 'tested {webhook}',
    replay_webhook: 'resent events to {webhook}',
    renew_webhook_secret: 'renewed the secret of {webhook}',
    disable_webhook: 'disabled {webhook}[: {=disabledReason}]',
    send_webhook: 'disabled {webhook}[: {=disabledReason}]',
    webhooks: 'maintained {webhook}',
    disconnect_app: 'disconnected {connectedApp}',
    'oauth.connect': 'connected {grant}',
    'oauth.end': 'disconnected {grant}',
  },
  account: {
    hide_checklist: 'hid the setup checklist',
    change_own_name: 'changed their own name',
    change_own_password: 'changed their own password',
    choose_password: 'chose a password',
    reset_password: 'set a new password with an emailed link',
    end_other_sessions: 'signed out their other sessions',
    begin_second_factor: 'started to set up a second factor',
    confirm_second_factor: 'turned the second factor on',
    turn_off_second_factor: 'turned the second factor off',
    renew_recovery_codes: 'renewed their recovery codes',
  },
  directories: {
    create_directory_connection: 'created {directory connection}',
    configure_directory_connection: 'changed {directory connection}',
    configure_directory_requests: 'changed the requests of {directory connection}',
    delete_directory_connection: 'deleted {directory connection}',
    set_directory_credential: 'set or removed the credential {=name} of {directory credential}',
    test_directory_connection: 'tested {directory connection}',
    'directory-lookup-retry': 'retried the directory lookup of {participant}',
  },
  memory: {
    write_memory: 'wrote {memory}',
    edit_memory: 'edited {memory}',
    delete_memory: 'deleted {memory}',
    write_instructions: 'wrote the instructions for assistants',
  },
  files: {
    setup_import_flow: 'prepared an import into {event}',
    import_event: 'imported people into {event}',
    import_companies: 'imported exhibitors into {event}',
    import_sessions: 'imported sessions into {event}',
    delete_test_imports: 'deleted test imports of {event}',
    'run-imports': 'imported people into {event}',
    'write-import-errors': 'saved the errors of an import into {event}',
    export_participants: 'downloaded the participants of {event}',
    export_money: 'downloaded payments or open invoices of {event}',
    export_audit_log: 'downloaded the audit log',
    tidy: 'deleted expired data',
    figures: 'recalculated the statistics of {event}',
  },
} as const satisfies Record<string, Record<string, string>>

export type AuditActionGroup = keyof typeof AUDIT_ACTIONS

/** Labels of the action groups in the filter, in display order. */
export const AUDIT_ACTION_GROUPS: Readonly<Record<AuditActionGroup, string>> = {
  events: 'Events and drafts',
  registrations: 'Registrations',
  groups: 'Groups',
  exhibitors: 'Exhibitors and leads',
  money: 'Money',
  housing: 'Rooms',
  people: 'Colleagues and settings',
  programs: 'Apps, API accounts, webhooks',
  account: 'Own sign-in',
  directories: 'Member directories',
  memory: 'Memory and instructions',
  files: 'Imports and downloads',
}

/** Actions whose meaning depends on the participant's status afterwards. */
const STATUS_SENTENCES: Readonly<Record<string, { status: string; sentence: string }>> = {
  edit_participant: { status: 'cancelled', sentence: 'cancelled the registration of {participant}' },
  update_my_registration: { status: 'cancelled', sentence: 'cancelled the registration of {participant}' },
}

const sentencesByAction = new Map<string, string>(Object.values(AUDIT_ACTIONS).flatMap((actions) => Object.entries(actions)))

export const listActions = (group: AuditActionGroup): string[] => Object.keys(AUDIT_ACTIONS[group])

export const listAllActions = (): string[] => [...sentencesByAction.keys()]

export const isActionGroup = (name: string): name is AuditActionGroup => Object.hasOwn(AUDIT_ACTIONS, name)

/** The sentence for an action, given the statuses of its participants afterwards. Null if the action has no sentence. */
export function findActionSentence(name: string, statuses: readonly unknown[] = []): string | null {
  const statusSentence = Object.hasOwn(STATUS_SENTENCES, name) ? STATUS_SENTENCES[name]! : null
  return statusSentence && statuses.includes(statusSentence.status) ? statusSentence.sentence : (sentencesByAction.get(name) ?? null)
}
