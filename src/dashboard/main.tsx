// Where the bundle begins. Nothing may import it: parts that load later refer to `start`.
import { start } from './start.tsx';

void start();
