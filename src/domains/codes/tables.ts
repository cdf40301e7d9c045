export type CodePurpose = 'assistant' | 'web' | 'company' | 'groupAdmin' | 'signer' | 'report' | 'invite'

/** The role of a browser session: the person's own registration, or administration of groups. */
export type SessionKind = 'person' | 'groupAdmin'
