import { part } from '../element.ts';
import { attachFileDrop } from '../file-drop.ts';

attachFileDrop(part('file'));
