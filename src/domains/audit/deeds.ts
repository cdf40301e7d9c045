/**
 * What every change is called where somebody reads who made it: words in the past tense, after the name of who it was. A record stands as `{kind}`,
 * of several of that kind the one whose field has a value as `{kind?field=value}`; a value as `{=field}`; what is within `[ ]` is said only where
 * its value is known; `{edit}` tells what was edited in a draft. A name stays here when nothing is called so any more: its entries are still read.
 */
const DEEDS = {
  events: {
    create_event: 'created {event}',
    clone_event: 'made {event} as a copy of another event',
    update_event: 'changed {event}',
    archive_event: 'archived {event}',
    configure_event: '{edit} in the draft of {event}',
    config_set: '{edit} in the draft of {event}',
    copy_event_config: 'copied parts of another event into the draft of {event}',
    configure_registration_guests: 'changed how guests are registered at {event}',
    import_products: 'imported products into the draft of {event}',
    apply_tax_recommendations: 'applied recommended taxes to the draft of {event}',
    publish_event: 'published {event}[ as version {=publishedVersion}]',
    reset_to_version: 'put an earlier version into the draft of {event}',
    rehearse_flow: 'rehearsed[ the flow {=flowSlug} of] {event}',
    create_test_registrations: 'made or cleared test registrations at {event}',
    start_tax_assessment: 'had the taxes of {event} assessed',
    demo: 'set up the demo event {event}',
  },
  registrations: {
    add_participant: 'registered {participant}',
    edit_participant: 'changed the registration of {participant}',
    substitute_participant: 'gave the place of {participant?status=cancelled} to {participant?substitutes}',
    resend_participant_confirmation: 'sent the confirmation again to {participant}',
    add_invite_list_participants: 'put[ {=added}] people on an invite list of {event}',
    promote_waitlist_entries: 'worked through the waitlist of {event}',
    agent_submit_registration: 'registered {participant}',
    update_my_registration: 'changed the registration of {participant}',
    resend_my_confirmation_email: 'had the confirmation of {participant} sent again',
    generate_participant_profile: 'had the profile of {participant} written',
    book_exhibitor_appointment: 'booked {appointment}',
    cancel_my_appointment: 'cancelled {appointment}',
    'begin registration': 'began the registration of {participant}',
    'open registration link': 'opened the link of the registration of {participant}',
    'answer registration page': 'answered a page of the registration of {participant}',
    'hold places longer': 'held the places of {participant} again',
    'finish registration': 'finished the registration of {participant}',
    change_own_registration: 'changed the registration of {participant}',
    cancel_own_registration: 'cancelled the registration of {participant}',
    set_own_sharing: 'changed what {participant} shares',
    request_sign_in_code: 'asked for a code to sign in to {event}',
    sign_in: 'signed in to {event}',
    agent_request_otp: 'asked for a code to sign in to {event}',
    agent_verify_otp: 'signed in to {event}',
    send_email: 'was told that a mail to {participant} came back',
    'test-registrations': 'made test registrations at {event}',
    'flow-rehearsal': 'rehearsed {event}',
    holds: 'ended what was held too long at {event}',
    recommendations: 'brought the profiles of {event} up to date',
  },
  groups: {
    create_managed_group: 'created {group}',
    update_managed_group: 'changed {group}',
    update_managed_group_members: 'changed the members of a group: {participant}',
    update_managed_group_leaders: 'changed who leads a group: {participant}',
    set_managed_group_admins: 'changed who manages {group}',
    delete_managed_group: 'deleted {group}',
    send_group_invite: 'invited {groupInvite} to a group',
    invite_to_group: 'invited {groupInvite} to a group',
    revoke_group_invite: 'took an invitation to {group} back',
    accept_group_invite: 'accepted an invitation to a group at {event}',
    decline_group_invite: 'declined an invitation to a group at {event}',
    add_group_member: 'added {participant} to a group',
    edit_group_member: 'changed the registration of {participant}, a member of a group',
    remove_group_member: 'took {participant} out of a group',
    import_group_members: 'added {participant} to a group',
  },
  money: {
    record_manual_payment: 'recorded {payment|refund}',
    write_off_invoices: 'wrote off or claimed again {invoice}',
    pay_own_invoices: 'began to pay invoices at {event}',
    leave_own_card: 'left a card at {event}',
    'checkout.registration': 'settled the payment of the registration of {participant}',
    'checkout.invoices': 'settled {payment|charge}',
    'payments.setup': 'kept {savedCard}',
    'payments.refund': 'settled {refund}',
    'payments.takenBack': 'noted that {payment|charge} was taken back',
    'waitlist.charge': 'settled {payment|charge} for a place at {event}',
    'tax-assessment': 'assessed the taxes of {event}',
    payments: 'asked how {charge} stands',
    'payments.compare': 'compared the payments of {event}',
    integrity: 'checked the books of {event}',
  },
  housing: {
    secure_own_room: 'secured {reservation}',
    give_up_own_room: 'gave up {reservation}',
    decide_room_share: 'decided who shares a room at {event}',
    leave_room_waitlist: 'left the waitlist for rooms of {event}',
    rooms: 'ended what was held too long of the rooms of {event}',
  },
  people: {
    invite_member: 'invited {invitation|member|eventStaff|user}[ as {=role}]',
    change_role: 'gave {member} the role {=role}',
    remove_member: 'removed {member} from {client}',
    assign_event_staff: 'gave {eventStaff}[ the role {=role}] at {event}',
    remove_event_staff: 'took the role of {eventStaff} at {event} away',
    remove_staff: 'took the role of {eventStaff} at {event} away',
    update_client: 'changed the settings of {client}',
    set_up: 'set up {client}',
  },
  programs: {
    create_api_account: 'created {apiAccount}',
    update_api_account: 'changed {apiAccount}',
    lift_otp_suspension: 'let {apiAccount} send codes again',
    issue_api_token: 'issued a token of {apiToken}',
    revoke_api_token: 'revoked a token of {apiToken}',
    create_webhook: 'created {webhook}',
    update_webhook: 'changed {webhook}',
    delete_webhook: 'deleted {webhook}',
    test_webhook: 'tried {webhook}',
    replay_webhook: 'had {webhook} told again',
    renew_webhook_secret: 'renewed the secret of {webhook}',
    disable_webhook: 'switched {webhook} off',
    send_webhook: 'switched {webhook} off',
    webhooks: 'looked after {webhook}',
    disconnect_app: 'disconnected {connectedApp}',
    'oauth.connect': 'connected {grant}',
    'oauth.end': 'had {grant} disconnected',
  },
  account: {
    change_own_name: 'changed their own name',
    change_own_password: 'changed their own password',
    choose_password: 'chose a password',
    reset_password: 'set a new password by a mailed link',
    end_other_sessions: 'signed out their other browsers',
    begin_second_factor: 'began to set up a second factor',
    confirm_second_factor: 'turned the second factor on',
    turn_off_second_factor: 'turned the second factor off',
    renew_recovery_codes: 'renewed their recovery codes',
  },
  directories: {
    create_directory_connection: 'created {directory connection}',
    configure_directory_connection: 'changed {directory connection}',
    configure_directory_requests: 'changed what {directory connection} is asked',
    delete_directory_connection: 'deleted {directory connection}',
    set_directory_credential: 'set or removed the credential {=name} of {directory credential}',
    test_directory_connection: 'tried {directory connection}',
    'directory-lookup-retry': 'asked a member directory about {participant} again',
  },
  memory: {
    write_memory: 'wrote {memory}',
    edit_memory: 'edited {memory}',
    delete_memory: 'deleted {memory}',
    write_instructions: 'wrote the instructions for assistants',
  },
  files: {
    setup_import_flow: 'prepared how people are imported into {event}',
    import_event: 'imported people into {event}',
    delete_test_imports: 'deleted test imports of {event}',
    'run-imports': 'imported people into {event}',
    'write-import-errors': 'wrote down the errors of an import into {event}',
    export_participants: 'downloaded the participants of {event}',
    export_audit_log: 'downloaded the audit log',
    tidy: 'tidied up',
    figures: 'counted {event} again',
  },
} as const satisfies Record<string, Record<string, string>>

export type DeedGroup = keyof typeof DEEDS

/** What the groups are called, in the order they are chosen from. */
export const DEED_GROUPS: Readonly<Record<DeedGroup, string>> = {
  events: 'Events and drafts',
  registrations: 'Registrations',
  groups: 'Groups',
  money: 'Money',
  housing: 'Rooms',
  people: 'Colleagues and settings',
  programs: 'Apps, API accounts, webhooks',
  account: 'Own sign-in',
  directories: 'Member directories',
  memory: 'Memory and instructions',
  files: 'Imports and downloads',
}

/** Of some changes the state that somebody is in afterwards says what it really was. */
const RATHER: Readonly<Record<string, { status: string; told: string }>> = {
  edit_participant: { status: 'cancelled', told: 'cancelled the registration of {participant}' },
  update_my_registration: { status: 'cancelled', told: 'cancelled the registration of {participant}' },
}

const told = new Map<string, string>(Object.values(DEEDS).flatMap((deeds) => Object.entries(deeds)))

/** The names of all changes of a group. */
export const deedsIn = (group: DeedGroup): string[] => Object.keys(DEEDS[group])

export const isDeedGroup = (name: string): name is DeedGroup => Object.hasOwn(DEEDS, name)

/** The words of a change after which participants are in these states, or null for one that nobody has put into words. */
export function deedOf(name: string, statuses: readonly unknown[] = []): string | null {
  const rather = Object.hasOwn(RATHER, name) ? RATHER[name]! : null
  return rather && statuses.includes(rather.status) ? rather.told : (told.get(name) ?? null)
}
