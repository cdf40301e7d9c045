/** The data that an attendee shares with exhibitors. The name is always included; empty fields and fields that are not shared are omitted. */
export interface LeadFields {
  firstName?: string
  lastName?: string
  email?: string
  jobTitle?: string
  company?: string
  bio?: string
  /** URL of the picture, valid for one hour. Download the picture when the lead arrives. */
  headshot?: string
  website?: string
  workPhone?: string
  mobilePhone?: string
}

/** An answer to one of the organizer's own questions. */
export interface CustomField {
  code: string
  label: string
  value: string
}

/** Later versions of the service may add fields, and never remove any. */
export interface Lead {
  leadId: string
  badgeId: string
  source: 'sdk'
  /** How often this company has scanned this attendee. */
  captures: number
  /** ISO 8601. */
  firstCapturedAt: string
  lastCapturedAt: string
  fields: LeadFields
  customFields: CustomField[]
  /** URL of the avatar if the attendee chose one, otherwise of the headshot. Valid for one hour. */
  photoUrl?: string
  /** Set on the sample lead of a real event, which the badge `0` returns. Nothing is stored. */
  isTest?: true
  /** Set on leads of the test event, which the activation code `0` selects. Nothing is stored. */
  testEvent?: true
}

/** A lead as the company's devices see it: the data that the attendee shares now, and the company's own notes. */
export interface DeviceLead extends Omit<Lead, 'badgeId' | 'source' | 'firstCapturedAt' | 'lastCapturedAt'> {
  /** Only in the result of the scan. */
  badgeId?: string
  /** How the lead was captured. */
  source: 'sdk' | 'device' | 'appointment' | 'manual' | 'import'
  /** ISO 8601; null if the lead was never scanned. */
  firstCapturedAt: string | null
  lastCapturedAt: string | null
  /** 0 to 5. */
  rating: number | null
  notes: string | null
  tags: string[]
  /** Answers to the organizer's questions, by their codes. */
  qualifiers: Record<string, unknown>
  updatedAt: string
}

/** A lead that was deleted. */
export interface DeletedLead {
  leadId: string
  deleted: true
  updatedAt: string
}
