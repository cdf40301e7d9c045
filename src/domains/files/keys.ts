/** The place of a file's bytes in the store. Every file has bytes of its own, so that to delete one never asks who else uses them. */
export const keyOf = ({ tenantId, id }: { tenantId: number; id: string }) => `${tenantId}/${id}`
