/** The storage key of a file. Files with equal content are stored separately, so deletion needs no reference count. */
export const toStorageKey = ({ tenantId, id }: { tenantId: number; id: string }) => `${tenantId}/${id}`
