export type CodePurpose = 'assistant' | 'web' | 'company' | 'groupAdmin' | 'signer' | 'report' | 'invite'

/** The role of a browser session: the person's own registration, administration of groups, or the exhibitor portal. */
export type PersonSessionKind = 'person' | 'groupAdmin' | 'exhibitor'
