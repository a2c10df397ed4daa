// Stand-ins for the few types of UnityEditor that the package uses, written from Unity's public documentation. Windows have no
// controls; assets are kept in memory.

using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Method)] public class MenuItem : Attribute { public MenuItem(string path) { } }

    public class EditorWindow : ScriptableObject
    {
        public static T GetWindow<T>(string title) where T : EditorWindow, new() { return new T(); }
    }

    public enum MessageType { None, Info, Warning, Error }

    public static class EditorGUILayout
    {
        public static UnityEngine.Object ObjectField(string label, UnityEngine.Object of, Type type, bool fromScene) { return of; }
        public static string TextField(string label, string of) { return of; }
        public static string TagField(string label, string of) { return of; }
        public static float FloatField(string label, float of) { return of; }
        public static bool Toggle(string label, bool of) { return of; }
        public static int MaskField(string label, int of, string[] names) { return of; }
        public static int Popup(string label, int of, string[] names) { return of; }
        public static void HelpBox(string words, MessageType type) { }
    }

    public static class EditorGUI
    {
        public class DisabledScope : IDisposable
        {
            public DisabledScope(bool isDisabled) { }
            public void Dispose() { }
        }
    }

    public static class AssetDatabase
    {
        public static readonly Dictionary<string, UnityEngine.Object> Assets = new Dictionary<string, UnityEngine.Object>();
        public static void Refresh() { }
        public static void SaveAssets() { }
        public static void CreateAsset(UnityEngine.Object of, string path) { Assets.Add(path, of); }
        public static T LoadAssetAtPath<T>(string path) where T : UnityEngine.Object
        {
            UnityEngine.Object found;
            return path != null && Assets.TryGetValue(path, out found) ? found as T : null;
        }
    }

    public static class EditorUtility
    {
        // What a person who looks at the progress does.
        public static Func<string, float, bool> Cancels = (stage, done) => false;
        public static bool DisplayCancelableProgressBar(string title, string stage, float done) { return Cancels(stage, done); }
        public static void ClearProgressBar() { }
        public static void SetDirty(UnityEngine.Object of) { }
    }
}
