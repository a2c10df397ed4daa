// Stand-ins for the few types of UnityEngine that the package uses, written from Unity's public documentation, so that the package's
// components compile and run without the engine.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.All)] public class TooltipAttribute : Attribute { public TooltipAttribute(string words) { } }
    [AttributeUsage(AttributeTargets.All)] public class RangeAttribute : Attribute { public RangeAttribute(float least, float most) { } }
    [AttributeUsage(AttributeTargets.All)] public class HelpURLAttribute : Attribute { public HelpURLAttribute(string url) { } }
    [AttributeUsage(AttributeTargets.All)] public class RequireComponent : Attribute { public RequireComponent(Type type) { } }
    [AttributeUsage(AttributeTargets.All)] public class DefaultExecutionOrder : Attribute { public DefaultExecutionOrder(int order) { } }
    [AttributeUsage(AttributeTargets.All)] public class DisallowMultipleComponent : Attribute { }
    [AttributeUsage(AttributeTargets.All)] public class HideInInspector : Attribute { }
    [AttributeUsage(AttributeTargets.All)] public class SerializeField : Attribute { }
    [AttributeUsage(AttributeTargets.All)] public class ExecuteAlways : Attribute { }
    [AttributeUsage(AttributeTargets.All)] public class CreateAssetMenuAttribute : Attribute { public string menuName, fileName; }

    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z); }
        public static Vector3 operator *(Vector3 a, float by) { return new Vector3(a.x * by, a.y * by, a.z * by); }
    }

    public struct Color
    {
        public float r, g, b, a;
        public Color(float r, float g, float b, float a) { this.r = r; this.g = g; this.b = b; this.a = a; }
    }

    public static class Mathf { public static int Max(int a, int b) { return Math.Max(a, b); } }

    public static class Debug
    {
        public static readonly List<string> Errors = new List<string>();
        public static void Log(object words) { }
        public static void LogWarning(object words) { }
        public static void LogError(object words, Object about = null) { Errors.Add(words.ToString()); }
    }

    public static class Application { public static string streamingAssetsPath; }

    public static class Time { public static double realtimeSinceStartupAsDouble; }

    public class Object
    {
        public string name;
        public int GetInstanceID() { return -1; }
        public static void Destroy(Object of) { }
        // All components there are: the open scene.
        public static T[] FindObjectsOfType<T>() where T : Component { return Component.All.OfType<T>().ToArray(); }
        public static T Instantiate<T>(T of) where T : Object { return (T)of.MemberwiseClone(); }
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject, new() { return new T(); }
    }

    public class GameObject : Object
    {
        internal readonly List<Component> components = new List<Component>();
        public readonly Transform transform;

        public GameObject(string name = "") { this.name = name; transform = AddComponent<Transform>(); }

        public T AddComponent<T>() where T : Component, new()
        {
            T made = new T { gameObject = this, name = name };
            Component.All.Add(made);
            components.Add(made);
            foreach (string message in new string[] { "Awake", "OnEnable" }) Send(made, message);
            return made;
        }

        // Calls a message of the engine's, such as LateUpdate, where a component has one.
        public static void Send(Component to, string message)
        {
            MethodInfo method = null;
            for (Type type = to.GetType(); type != null && method == null; type = type.BaseType)
                method = type.GetMethod(message, BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly);
            if (method != null) method.Invoke(to, null);
        }

        public T GetComponent<T>() where T : class
        {
            foreach (Component component in components) { T found = component as T; if (found != null) return found; }
            return null;
        }
    }

    public class Component : Object
    {
        internal static readonly List<Component> All = new List<Component>();
        public GameObject gameObject;
        public Transform transform { get { return gameObject.transform; } }
        public T GetComponent<T>() where T : class { return gameObject.GetComponent<T>(); }
        public T[] GetComponentsInChildren<T>() where T : class
        {
            T found = GetComponent<T>();
            return found == null ? new T[0] : new T[] { found };
        }
    }

    public class Transform : Component
    {
        public Transform parent;
        public Vector3 position;
    }
    public class Behaviour : Component { public bool enabled = true; }
    public class MonoBehaviour : Behaviour { }
    public class Renderer : Component { public bool enabled = true; }
    public class Light : Behaviour { }
    public class AudioSource : Behaviour { }
    public class Canvas : Behaviour { }
    public class ParticleSystem : Component
    {
        public struct EmissionModule { public bool enabled; }
        public EmissionModule emission;
    }
    public class TerrainData : Object { public Vector3 size; }
    public class Terrain : Behaviour
    {
        public TerrainData terrainData;
        public float SampleHeight(Vector3 at) { return 0; }
    }

    public static class Gizmos
    {
        public static Color color;
        public static readonly List<Vector3> Cubes = new List<Vector3>();
        public static void DrawCube(Vector3 at, Vector3 size) { Cubes.Add(at); }
    }
}
