/** What an attendee shares with exhibitors. Their name is always there; what is empty or not shared is left out. */
export interface LeadFields {
    firstName?: string;
    lastName?: string;
    email?: string;
    jobTitle?: string;
    company?: string;
    bio?: string;
    /** An address that is good for an hour: fetch the picture when the lead arrives. */
    headshot?: string;
    website?: string;
    workPhone?: string;
    mobilePhone?: string;
}
/** An answer to one of the organizer's own questions. */
export interface CustomField {
    code: string;
    label: string;
    value: string;
}
/** Fields may be added in later versions of the service, and are never removed. */
export interface Lead {
    leadId: string;
    badgeId: string;
    source: 'sdk';
    /** How often this company has scanned this attendee. */
    captures: number;
    /** ISO 8601. */
    firstCapturedAt: string;
    lastCapturedAt: string;
    fields: LeadFields;
    customFields: CustomField[];
    /** The avatar where the attendee chose one, else the headshot. Good for an hour. */
    photoUrl?: string;
    /** On the sample lead of a real event, which the badge `0` gives. Nothing was kept. */
    isTest?: true;
    /** On leads of the test event, which the activation code `0` opens. Nothing was kept. */
    testEvent?: true;
}
/** A lead as the devices of its company see it: what the attendee shares now, and what the company noted itself. */
export interface DeviceLead extends Omit<Lead, 'badgeId' | 'source' | 'firstCapturedAt' | 'lastCapturedAt'> {
    /** Only with the scan of it. */
    badgeId?: string;
    /** What made it. */
    source: 'sdk' | 'device' | 'appointment' | 'manual' | 'import';
    /** ISO 8601; null of a lead that was never scanned. */
    firstCapturedAt: string | null;
    lastCapturedAt: string | null;
    /** 0 to 5. */
    rating: number | null;
    notes: string | null;
    tags: string[];
    /** Answers to the organizer's questions, by their codes. */
    qualifiers: Record<string, unknown>;
    updatedAt: string;
}
/** A lead that the company has no more. */
export interface DeletedLead {
    leadId: string;
    deleted: true;
    updatedAt: string;
}
