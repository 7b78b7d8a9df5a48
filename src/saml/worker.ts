// Entry of the thread that reads what identity providers send, before anything about it is known to be true.
import { serveTasks } from '../runtime/task-thread.ts';
import { performTask } from './tasks.ts';

serveTasks(performTask);
