import { contractOf } from '../contract.ts'

contractOf('housing')
