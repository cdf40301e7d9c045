/** The storage key of a file. Every file has its own bytes, so deletion needs no reference count. */
export const toStorageKey = ({ tenantId, id }: { tenantId: number; id: string }) => `${tenantId}/${id}`
