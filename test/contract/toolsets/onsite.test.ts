import { contractOf } from '../contract.ts'

contractOf('onsite')
