interface Connection {
  status: 'draft' | 'ready' | 'failing' | 'disabled'
  onFailure: 'allow' | 'block' | 'queue'
  /** The tags that the rules of the directory connection give to participants, and the bindings (data fields) that it fills in. */
  tags?: readonly string[]
  fills?: readonly string[]
}

/** Records outside the document that the document refers to. */
export interface ExternalRecords {
  /** Directory connections of the event by code. */
  connections: ReadonlyMap<string, Connection>
  /** Referenced files that exist in the library of the event or its client, by id. */
  files: ReadonlyMap<string, { mime: string }>
}
