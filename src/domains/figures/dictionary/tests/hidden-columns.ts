/** Why no field reads a column: it protects access or money, it is internal, or it is useful only inside its own tool. */
type HiddenReason = 'secret' | 'technical' | 'internal'

const names = (text: string): readonly string[] => text.split(' ')

/** Tables that the dictionary does not read at all. */
export const HIDDEN_TABLES: Readonly<Record<HiddenReason, readonly string[]>> = {
  secret: names(
    'api_accounts api_tokens block_request_links browser_sessions card_notices card_setups confirmations directory_connections directory_credentials directory_list_entries directory_lookups door_devices envelope_signers hotel_links oauth_clients oauth_codes oauth_grants oauth_requests oauth_tokens one_time_codes participant_sessions password_links person_sessions recovery_codes report_run_recipients saved_cards seal_certificates setup_keys sign_in_failures signature_steps supplier_links users webhook_endpoints',
  ),
  technical: names(
    'appointment_people attendance_counts attendance_figures backups catalog_hotels config_changes config_drafts deletions due_registration_emails feedback feedback_notes file_uploads fx_rates holds idempotency_keys import_claims import_rows jobs message_attachments money_figures number_series outside_calls people_figures provider_hotels rate_windows recommendation_changes recommendation_counts recommendation_postings recommendation_profiles recommendation_work recurring_slots rehearsal_people rehearsals replica_horizon test_runs webhook_attempts webhook_deliveries webhook_messages',
  ),
  internal: names(
    'assignment_proposals audience_builds audience_profiles awards badge_id_history block_request_amendments brief_versions briefs clients company_competitors contact_merges contact_pairs contract_clauses contract_counters custom_instructions event_staff files floor_plan_layouts floor_plan_scans group_admins hotel_move_stays hotel_moves hotel_pci_overrides hotel_pickup_reports hotel_waitlist_fill_entries hotel_waitlist_fills housing_addenda housing_final_pickups import_errors import_runs import_setups memberships memories organizations pickup_snapshots points_entries report_deliveries report_runs reports response_scores reviewer_tracks rfp_answers rfp_questions room_shares room_types rooming_lists scoring_rubrics signature_envelopes submission_reviewers submission_speakers tax_assessment_invoices tax_assessments tenants',
  ),
}

/** Columns that no field reads, of tables that the dictionary reads. */
export const HIDDEN_COLUMNS: Readonly<Record<string, Partial<Record<HiddenReason, readonly string[]>>>> = {
  appointments: {
    technical: names('seat revision'),
    internal: names('with_participant_id staff_id starts_at ends_at location message cancelled_by cancelled_at'),
  },
  attendance_people: { internal: names('on_site site_at') },
  attendance_presence: { technical: names('in_scan out_scan'), internal: names('participant_id inside at out_at') },
  attendance_scans: {
    secret: names('nonce'),
    technical: names('received_at duplicate_of revision import_id'),
    internal: names('override'),
  },
  audience_members: { internal: names('build_id rule levels net lead_days leads attended products distance') },
  audience_vectors: { internal: names('build_id participant_id rule levels net lead_days leads attended products') },
  audit_entries: { technical: names('searched'), internal: names('client_id actor_kind actor_id app_id') },
  block_nights: { internal: names('rate') },
  block_requests: {
    technical: names('letters_sent revision searched'),
    internal: names(
      'kind requester_name requester_email room_types hotel_preferences keep_together payment_by note accepted closing submitted_at answered_at',
    ),
  },
  booth_applications: {
    technical: names('revision letters_sent'),
    internal: names(
      'participant_id additional wanted answers offer_booth_ids offer_until offer_sent_at decision_note offer_number offer_ended_at letter_booth_ids offer_lines',
    ),
  },
  booth_assignments: { internal: names('application_id from by end_reason') },
  booths: { technical: names('revision from_source was_split'), internal: names('merged_into utilities note block_reason') },
  charges: {
    secret: names('provider_ref card_id checkout_ref checkout_url return_url cancel_url'),
    technical: names('call_id charge_key'),
    internal: names('participant_id entry_id provider flag lines consent ends_at ending hotel_entry_id attempt'),
  },
  companies: {
    secret: names('activation_code activation_hmac'),
    technical: names('name_norm logo_file_id revision searched stamped_by'),
    internal: names('description website billing external_id appointments_enabled staff_extra self_registered'),
  },
  config_versions: {
    secret: names('sha256'),
    internal: names('note published_by published_by_name app_name based_on_version restored_from counts badge'),
  },
  contact_emails: { technical: names('place address_norm'), internal: names('client_id verified_at bounced') },
  contacts: {
    technical: names('revision stamped_by'),
    internal: names(
      'phones external_ids job_title city region postal_code language linkedin consent_at consent_source topics_off tags provenance',
    ),
  },
  contract_versions: { secret: names('sha256'), internal: names('written_by clauses note created_by created_at') },
  event_hotels: {
    technical: names('revision searched'),
    internal: names(
      'retired supplier_id latitude longitude brand loyalty_program amenities description photos contacts check_in_time check_out_time tax_percent fee_per_night fee_taxed after_cutoff',
    ),
  },
  events: {
    technical: names('draft_changed revision searched'),
    internal: names('locales imported sensitive_questions file_questions sandbox_cards'),
  },
  exhibitor_staff: { technical: names('revision email_norm'), internal: names('invited_at order_line_id') },
  floor_plans: {
    technical: names('source_file_id revision'),
    internal: names('name units outline source source_to_plan scale obstacles aisles zones pois status created_at updated_at'),
  },
  group_invites: { secret: names('token_hash'), technical: names('email_norm'), internal: names('name expires_at') },
  hotel_pci_records: {
    technical: names('file_id'),
    internal: names(
      'document_type saq dss_version entity_legal_name signed_by assessor decision_reason reviewed_by reviewed_by_name reviewed_at',
    ),
  },
  hotel_waitlist_entries: {
    secret: names('saved_card_id'),
    internal: names('room_type_code alternatives occupants replaces_reservation_id priority consent_charge_at charge_id reason'),
  },
  housing_contracts: {
    technical: names('revision'),
    internal: names(
      'sourcing_contract_id signed_on cutoff_action rooming_list_due_on name_deadline_on review_dates attrition comp_per comp_basis rebate_per_room_night commission_percent created_at updated_at cutoff_done_for rooming_checked_on award_id',
    ),
  },
  invite_list_entries: { secret: names('token_hash'), technical: names('email_norm'), internal: names('first_name last_name company') },
  invoices: { internal: names('external_number bill_to seller') },
  lead_captures: { secret: names('nonce'), internal: names('company_id staff_id') },
  lead_devices: { secret: names('token_hash'), technical: names('app_version clock_skew_ms'), internal: names('revoked_at') },
  lead_licences: { internal: names('order_line_id granted_by') },
  leads: { technical: names('revision stamped_by'), internal: names('qualifiers staff_id') },
  ledger_entries: { technical: names('counted'), internal: names('reverses_id') },
  managed_groups: {
    secret: names('join_code'),
    technical: names('revision searched stamped_by'),
    internal: names('flow_slug bill_to room_block_id self_registered'),
  },
  messages: {
    secret: names('lease_token'),
    technical: names('recipient_key lane headers attempts next_attempt_at lease_until message_id_header resend_of searched'),
    internal: names('source_kind source_id from_name reply_to locale subject text_body html_body handed_at last_error client_id'),
  },
  milestones: { technical: names('revision'), internal: names('clause_key note') },
  offerings: { internal: names('host_participant_id overage staff_id approval source') },
  order_lines: { technical: names('position counted'), internal: names('description tax_components reservation_id') },
  orders: { technical: names('revision stamped_by'), internal: names('currency external_number units credited') },
  participants: {
    technical: names('revision import_run_id name_norm searched test_run_id ai_avatar_file_id stamped_by'),
    internal: names(
      'directory_tags headshot answers group_leader guest_type counts_toward_capacity substitutes_id visible_to_participants avatar_choice ai_profile ai_profile_origin email_unverified',
    ),
  },
  payment_reversals: { secret: names('provider_ref'), internal: names('order_id payment_id amount note recorded_by created_at provider') },
  payments: { secret: names('provider_ref'), internal: names('returned note') },
  refunds: { secret: names('provider_ref'), technical: names('call_id'), internal: names('note provider recorded_by') },
  registration_progress: {
    secret: names('network group_join_code'),
    internal: names(
      'pages_done method waits other_hotels more_time visit_id created_at pay_now booth_request held_since invited_company_id invited_staff_id',
    ),
  },
  reservation_nights: { technical: names('room'), internal: names('room_type_code') },
  reservations: {
    secret: names('saved_card_id'),
    technical: names('charging revision guarantee_reminded_at stamped_by'),
    internal: names(
      'bed_type smoking share_with held_until entry_id guarantee_due_at charge_id stay_rooms stay_fees stay_tax source cancel_reason confirmed_at cancelled_at booked_occupants moves',
    ),
  },
  rfp_recipients: {
    technical: names('revision'),
    internal: names('client_id contact_name contact_email reason sent_at opened_at submitted_at draft'),
  },
  rfp_responses: { internal: names('recipient_id date_option source') },
  rfps: {
    technical: names('reminded revision'),
    internal: names(
      'client_id brief_id brief_version title requirements date_options questions attachments currency questions_due_at decision_on rubric first_submitted_at round distributed_at cancelled_reason',
    ),
  },
  room_blocks: {
    technical: names('revision released_through'),
    internal: names('request_id sell_status overflow min_nights payment_by note'),
  },
  room_nights: { internal: names('base rate_triple rate_quad') },
  session_speakers: { technical: names('during'), internal: names('role position') },
  session_enrolments: { technical: names('position revision') },
  sessions: { technical: names('revision searched stamped_by'), internal: names('abstract submission_id product_code') },
  speakers: {
    technical: names('headshot_file_id revision searched email_norm'),
    internal: names('contact_id job_title bio links country availability disclosure answers invited_at'),
  },
  submission_reviews: { internal: names('reviewer_name note_to_committee note_to_author') },
  submissions: {
    technical: names('revision searched'),
    internal: names('abstract keywords answers language decision_note submitted_at decided_by informed_at confirm_by merged_into'),
  },
  supplier_contracts: {
    secret: names('final_sha256'),
    technical: names('final_file_id signed_file_id revision'),
    internal: names('client_id award_id line_index template contact_name contact_email due_on'),
  },
  suppliers: {
    technical: names('revision searched identity catalog_ref sources'),
    internal: names(
      'client_id kind status contacts address latitude longitude website chain stars sleeping_rooms meeting_rooms total_meeting_sqm amenities note rfps responses awards created_at updated_at',
    ),
  },
  survey_answers: { internal: names('terms') },
  survey_invites: { secret: names('token_hash'), internal: names('reminders message_id responded_at') },
  survey_responses: { secret: names('resume_hash'), internal: names('invite_id started_at locale shown') },
  waitlist_entries: { internal: names('priced_at expiry_emailed_at') },
  write_offs: { internal: names('written_by') },
}
