export type CodePurpose = 'assistant' | 'web' | 'company' | 'groupAdmin' | 'signer' | 'report' | 'invite'

/** What a browser session gives access to: the person's own registration, administration of groups, or the exhibitor portal. */
export type PersonSessionKind = 'person' | 'groupAdmin' | 'exhibitor'
