import { toolset } from '../../kernel/tool.ts'
import listClients from './list-clients.ts'
import listEvents from './list-events.ts'
import updateClient from './update-client.ts'

export default toolset('clients', [listClients, updateClient, listEvents])
