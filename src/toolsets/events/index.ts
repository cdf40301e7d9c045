import { toolset } from '../../kernel/tool.ts'
import listMyEvents from './list-my-events.ts'

export default toolset('events', [listMyEvents])
